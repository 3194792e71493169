/** The first telling line of a hover card, without its Markdown. Pure. */

const WIDTH = 120;

export function gist(contents: string | { readonly value: string }): string {
  const value = typeof contents === "string" ? contents : contents.value;
  for (const line of value.split("\n")) {
    if (line.startsWith("```") || line.startsWith("---")) {
      continue;
    }
    const text = line
      .replace(/\[((?:[^\]\\]|\\.)*)\]\([^)]*\)/g, "$1")
      .replace(/(?<!\\)[`*]/g, "")
      .replace(/\\([!-/:-@[-`{-~])/g, "$1")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&")
      .trim();
    if (text) {
      return text.length > WIDTH ? `${text.slice(0, WIDTH - 1)}…` : text;
    }
  }
  return "";
}
