const HEX = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

/** Return whether a text is a colour as themes may name it: `#rgb` or `#rrggbb`. */
export function isColour(text: string): boolean {
  return HEX.test(text);
}

/** Return the relative luminance of a colour, 0 to 1. Source: WCAG 2.2. */
export function luminance(colour: string): number {
  const digits = colour.length === 4 ? [...colour.slice(1)].map((one) => one + one).join("") : colour.slice(1);
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const share = parseInt(digits.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Return black or white, whichever is read better on a colour: at least 4.5 to 1 on every one. */
export function inkOn(colour: string): "#000000" | "#ffffff" {
  const light = luminance(colour);
  return (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) ? "#000000" : "#ffffff";
}
