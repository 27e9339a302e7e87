/** Design tokens: every colour and measure of the widget, and nothing else. A page may set each on `agent-widget`. */
const TOKENS = `
:host{--agent-primary:#1d4ed8;--agent-on-primary:#fff;--agent-text:#1a1d21;--agent-muted:#5b6470;--agent-background:#fff;--agent-soft:#f1f3f6;--agent-line:#c9ced6;--agent-danger:#b3261e;--agent-radius:12px;--agent-font:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;--agent-gap:20px;--agent-width:380px;--agent-height:620px}
@media (prefers-color-scheme:dark){:host(:not([data-scheme=light])){--agent-text:#e8eaed;--agent-muted:#a3abb6;--agent-background:#16191d;--agent-soft:#23282e;--agent-line:#454d57;--agent-danger:#ff8a80}}
:host([data-scheme=dark]){--agent-text:#e8eaed;--agent-muted:#a3abb6;--agent-background:#16191d;--agent-soft:#23282e;--agent-line:#454d57;--agent-danger:#ff8a80}
`;

/** The widget's style sheet; it is constructed, for a strict CSP refuses `<style>`. */
export const STYLE = `${TOKENS}
:host{all:initial;position:fixed;z-index:2147483000;bottom:var(--agent-gap);right:var(--agent-gap);font:15px/1.5 var(--agent-font);color:var(--agent-text);direction:inherit}
:host([hidden]),[hidden]{display:none!important}
:host([position=bottom-left]){right:auto;left:var(--agent-gap)}
:host([position=top-right]){bottom:auto;top:var(--agent-gap)}
:host([position=top-left]){bottom:auto;right:auto;top:var(--agent-gap);left:var(--agent-gap)}
*{box-sizing:border-box}
button,textarea,input,select{font:inherit;color:inherit;border:1px solid var(--agent-line);background:var(--agent-background);border-radius:8px;padding:6px 12px;min-height:32px}
button{cursor:pointer}
button:disabled{cursor:default;opacity:.6}
:focus-visible{outline:2px solid var(--agent-primary);outline-offset:2px}
.launcher{position:relative;width:56px;height:56px;border-radius:50%;border:1px solid transparent;background:var(--agent-primary);color:var(--agent-on-primary);display:grid;place-items:center;padding:0;margin-inline-start:auto}
.badge{position:absolute;top:-4px;inset-inline-end:-4px;min-width:22px;padding:0 6px;border-radius:11px;background:var(--agent-danger);color:var(--agent-background);font-size:13px;line-height:22px}
.panel{width:min(var(--agent-width),calc(100vw - 2*var(--agent-gap)));height:min(var(--agent-height),calc(100vh - 2*var(--agent-gap)));display:flex;flex-direction:column;background:var(--agent-background);border:1px solid var(--agent-line);border-radius:var(--agent-radius);overflow:hidden;box-shadow:0 8px 32px #0003}
header{display:flex;align-items:center;gap:8px;padding:12px 16px;border-bottom:1px solid var(--agent-line)}
h2{flex:1;margin:0;font-size:16px;font-weight:600}
.plain{border-color:transparent;background:transparent;padding:4px 8px}
.state{display:flex;gap:8px;align-items:center;justify-content:space-between;padding:8px 16px;background:var(--agent-soft);font-size:14px}
.log{flex:1;overflow-y:auto;overflow-anchor:none;padding:16px;position:relative;display:flex;flex-direction:column;gap:12px}
.start{display:flex;flex-direction:column;gap:8px;align-items:flex-start}
.line{display:flex;flex-direction:column;gap:4px;max-width:88%;align-self:flex-start}
.line[data-role=user]{align-self:flex-end;align-items:flex-end}
.bubble{padding:8px 12px;border-radius:12px;background:var(--agent-soft);overflow-wrap:anywhere}
.line[data-role=user] .bubble{background:var(--agent-primary);color:var(--agent-on-primary);white-space:pre-wrap}
.bubble>*{margin:0 0 8px}.bubble>:last-child{margin-bottom:0}
.bubble h3{font-size:16px}.bubble p,.bubble blockquote{white-space:pre-wrap}
.bubble ul,.bubble ol{padding-inline-start:22px}
.bubble blockquote{border-inline-start:3px solid var(--agent-line);padding-inline-start:10px}
.bubble pre{overflow-x:auto;padding:8px;border:1px solid var(--agent-line);border-radius:6px}
code{font:13px/1.45 ui-monospace,Menlo,Consolas,monospace}
a{color:inherit;text-decoration:underline}
.tools{display:flex;gap:2px;color:var(--agent-muted);font-size:13px}
.tools button{font-size:13px;min-height:24px;padding:0 6px}
.failure{color:var(--agent-danger);font-size:13px}
.typing{color:var(--agent-muted);font-size:14px;padding:0 16px 8px}
.jump{align-self:center;position:relative;height:32px;margin:-40px 0 8px}
form.composer{display:flex;gap:8px;align-items:flex-end;padding:12px;border-top:1px solid var(--agent-line)}
textarea{flex:1;resize:none;min-height:38px;max-height:140px;padding:7px 10px}
.go{background:var(--agent-primary);color:var(--agent-on-primary);border-color:var(--agent-primary);min-height:38px}
.heard{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:480px){:host([data-open]){inset:0!important}.panel{width:100vw;height:100vh;height:100dvh;border:0;border-radius:0}}
@media (forced-colors:active){.bubble,.launcher,.badge{border:1px solid}}
`;
