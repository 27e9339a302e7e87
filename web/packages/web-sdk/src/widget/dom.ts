import { GrowingText, type Block, type Inline } from "./markdown.ts";

type Props = Record<string, string | boolean | EventListener>;

/** Make an element: `on...` listens, true and false set or leave an attribute. Text is text and never HTML. */
export function h<Name extends keyof HTMLElementTagNameMap>(name: Name, props: Props = {}, ...children: Array<Node | string>): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(props)) {
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

function inline(node: Inline): Node {
  if (typeof node === "string") return document.createTextNode(node);
  const children = node.children.map(inline);
  return node.href === undefined ? h(node.tag, {}, ...children) : h("a", { href: node.href, target: "_blank", rel: "noopener noreferrer" }, ...children);
}

function rendered(block: Block): HTMLElement {
  switch (block.kind) {
    case "code":
      return h("pre", { tabindex: "0" }, h("code", {}, block.text));
    case "rule":
      return h("hr");
    case "list": {
      const items = block.items.map((item) => h("li", {}, ...item.map(inline)));
      return block.ordered ? h("ol", { start: String(block.start) }, ...items) : h("ul", {}, ...items);
    }
    case "heading":
      return h("h3", {}, ...block.children.map(inline));
    default:
      return h(block.kind === "quote" ? "blockquote" : "p", {}, ...block.children.map(inline));
  }
}

/** Shows a Markdown text that grows; the nodes of a block that is finished stay the ones they are. */
export class MarkdownView {
  private readonly _node: HTMLElement;
  private readonly _text = new GrowingText();

  constructor(node: HTMLElement) {
    this._node = node;
  }

  show(text: string): void {
    const same = this._text.grow(text);
    while (this._node.childNodes.length > same) this._node.lastChild?.remove();
    this._node.append(...this._text.blocks.slice(same).map(rendered));
  }
}
