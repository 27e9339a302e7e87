/** How many messages the page has at first, and how many more each time it is asked for earlier ones. */
export const PAGE_LINES = 50;

/** Return the index of the first message that is shown of so many, when `pages` were asked for. */
export function firstShown(count: number, pages: number): number {
  return Math.max(0, count - PAGE_LINES * pages);
}

/** How far from the end a reader may be who still follows it, in CSS pixels. */
export const FOLLOWS_PX = 48;

/** Return whether whoever looks at a list sees its end, and wants to go on seeing it. */
export function follows(list: { scrollTop: number; clientHeight: number; scrollHeight: number }): boolean {
  return list.scrollHeight - list.scrollTop - list.clientHeight <= FOLLOWS_PX;
}
