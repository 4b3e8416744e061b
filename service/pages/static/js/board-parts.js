// @ts-check
/** Puts the parts of a board that a response has in a template on the board of the page. */

/**
 * Replace the parts of the board that have come in the template of an element.
 * @param {HTMLElement} element
 */
export function putOnBoard(element) {
  const template = element.querySelector("template");
  for (const part of [...(template?.content.children ?? [])]) {
    const old = document.getElementById(part.id);
    const [map, next] = [old?.firstElementChild, part.firstElementChild];
    // A script has given the drawing the class for its size (js/board.js).
    const size = map?.getAttribute("viewBox");
    if (map && next && size && next.getAttribute("viewBox") === size) next.setAttribute("class", map.getAttribute("class") ?? "");
    if (map && next && part.id !== "board-links" && map.cloneNode().isEqualNode(next.cloneNode())) redraw(map, next);
    else old?.replaceChildren(...part.childNodes);
  }
  template?.remove();
}

/**
 * Give a drawing the content of another one, and leave what is the same in both: redrawing a board is slow.
 * @param {Element} drawing @param {Element} next
 */
function redraw(drawing, next) {
  let old = drawing.firstChild;
  for (const node of [...next.childNodes]) {
    let same = old;
    while (same && !same.isEqualNode(node)) same = same.nextSibling;
    if (same) {
      while (old !== same) old = removed(old);
      old = same.nextSibling;
    } else if (old instanceof SVGDefsElement && node instanceof SVGDefsElement) {
      redraw(old, node);
      old = old.nextSibling;
    } else drawing.insertBefore(node, old);
  }
  while (old) old = removed(old);
}

/** @param {ChildNode | null} node @returns {ChildNode | null} the node after the one that is removed */
function removed(node) {
  const next = node?.nextSibling ?? null;
  node?.remove();
  return next;
}
