import type { Message } from "../types.ts";
import { Line, type LineOwner } from "./line.ts";

/** How many messages are in the page above and below those that are seen. */
export const MARGIN_LINES = 8;
/** How many are in the page at its end before it is known how many are seen. */
export const LAST_LINES = 20;
/** How far from the end a reader may be who still follows it, in CSS pixels. */
const FOLLOWS_PX = 48;

/**
 * The messages that are seen and a few around them: of a long conversation the page has no more. Whoever scrolls keeps what
 * they look at where it is.
 */
export class MessageList {
  private readonly _log: HTMLElement;
  private readonly _more: HTMLElement;
  private readonly _owner: LineOwner;
  /** What the lines stand behind. */
  private readonly _head: Node;
  private _messages: readonly Message[] = [];
  private _lines = new Map<string, Line>();
  /** The line of the open set of actions while it is out of the page: what was filled in is in it. */
  private _aside: Line | null = null;
  private _first = 0;
  private _last = 0;
  private _lastLines = LAST_LINES;

  /** `more` is shown while there are earlier messages. */
  constructor(log: HTMLElement, more: HTMLElement, head: Node, owner: LineOwner) {
    this._log = log;
    this._more = more;
    this._head = head;
    this._owner = owner;
  }

  /** Whether the newest message is seen, and whoever sees it wants to go on seeing the newest. */
  get follows(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this._log;
    return this._last === this._messages.length && scrollHeight - scrollTop - clientHeight <= FOLLOWS_PX;
  }

  /** Show the messages as they are now. */
  show(messages: readonly Message[]): void {
    const { follows } = this;
    const firstId = this._messages[this._first]?.id;
    const first = messages.findIndex(({ id }) => id === firstId);
    this._messages = messages;
    if (follows || first < 0) return this.toEnd();
    this._put(first, Math.min(messages.length, first + this._last - this._first));
  }

  /** Go to the newest message. */
  toEnd(): void {
    const count = this._messages.length;
    for (;;) {
      this._put(Math.max(0, count - this._lastLines), count);
      const { scrollHeight, clientHeight } = this._log;
      if (!this._first || !clientHeight || scrollHeight > 2 * clientHeight) break;
      this._lastLines += MARGIN_LINES; // a page that shows more of them than most
    }
    this._log.scrollTop = this._log.scrollHeight;
  }

  /** Go to the oldest message. */
  toStart(): void {
    this._put(0, Math.min(this._messages.length, LAST_LINES));
    this._log.scrollTop = 0;
  }

  /** Have messages in the page around those that are seen. */
  follow(): void {
    const top = this._log.scrollTop;
    const seen = [...this._lines.values()].map(({ node }) => node.offsetTop + node.offsetHeight > top && node.offsetTop < top + this._log.clientHeight);
    const [above, below] = [seen.indexOf(true), seen.length - 1 - seen.lastIndexOf(true)];
    if (above < 0) return;
    const wants = (has: number, more: boolean): boolean => more && has < MARGIN_LINES / 2;
    if (!wants(above, this._first > 0) && !wants(below, this._last < this._messages.length)) return;
    this._put(Math.max(0, this._first + above - MARGIN_LINES), Math.min(this._messages.length, this._last - below + MARGIN_LINES));
  }

  /** Show earlier messages above those that are there. */
  earlier(): void {
    this._put(Math.max(0, this._first - MARGIN_LINES), this._last);
    this._log.scrollTop = 0;
    this.follow();
  }

  /** Have these messages in the page and no others; the one that is seen first stays where it is. */
  private _put(first: number, last: number): void {
    const top = this._log.scrollTop;
    const seen = [...this._lines.values()].find(({ node }) => node.offsetTop + node.offsetHeight > top)?.node;
    const was = seen?.offsetTop ?? 0;
    const kept = new Map<string, Line>();
    let before = this._head;
    for (const message of this._messages.slice(first, last)) {
      const aside = this._aside?.id === message.id ? this._aside : null;
      const line = this._lines.get(message.id) ?? aside ?? new Line(this._owner, message.id);
      line.show(message);
      kept.set(message.id, line);
      if (before.nextSibling !== line.node) before.parentNode?.insertBefore(line.node, before.nextSibling);
      before = line.node;
    }
    const { activeElement } = this._log.getRootNode() as ShadowRoot;
    for (const [id, line] of this._lines) {
      if (kept.has(id)) continue;
      if (line.node.contains(activeElement)) this._log.focus({ preventScroll: true });
      if (line.isOpen) this._aside = line;
      line.node.remove();
    }
    this._lines = kept;
    this._first = first;
    this._last = last;
    this._more.hidden = !first;
    if (seen?.isConnected) this._log.scrollTop = top + seen.offsetTop - was;
  }
}
