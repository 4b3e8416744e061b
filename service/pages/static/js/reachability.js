// @ts-check
/** The notice that the server cannot be reached. */

/** @param {boolean} isReachable */
export function showReachable(isReachable) {
  const notice = document.getElementById("network-error");
  if (notice) notice.hidden = isReachable;
}
