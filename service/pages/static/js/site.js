// @ts-check
/**
 * What every page needs: a notice while the server cannot be reached, and the focus after a part of the page has
 * been replaced.
 */

const notice = document.getElementById("network-error");

/** @param {boolean} isHidden */
function hideNotice(isHidden) {
  if (notice) notice.hidden = isHidden;
}

document.body.addEventListener("htmx:sendError", () => hideNotice(false));
document.body.addEventListener("htmx:timeout", () => hideNotice(false));
document.body.addEventListener("htmx:afterRequest", (event) => {
  const detail = /** @type {CustomEvent} */ (event).detail;
  if (detail.successful) hideNotice(true);
});
window.addEventListener("online", () => hideNotice(true));
