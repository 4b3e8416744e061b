// @ts-check
/**
 * The page that verifies records: gives the files to a worker, and shows each check as it runs. All texts are in the
 * page (service/pages/view_models/verifier_texts.py); a name in braces in them is replaced by a value.
 */

/** @import {Details, Finding, Report, TrustedKey, Verdict} from "./verify/types" */
/** @typedef {{kind: "bad-receipts", line: number} | {kind: "end", verdicts: Record<string, Verdict>} | {kind: "failed"}} End */

const PUBLIC_KEY = /\b[0-9a-f]{64}\b/g;

/** @param {HTMLElement} root */
export function start(root) {
  const texts = part(root, "texts");
  const form = /** @type {HTMLFormElement} */ (part(root, "form"));
  const dropZone = part(root, "drop-zone");
  const files = /** @type {HTMLInputElement} */ (form.querySelector("input[type=file]"));
  const summary = part(root, "summary");
  /** @type {Worker | undefined} */
  let worker;
  /** @type {Finding | undefined} */
  let firstFault;

  /** @param {string} name @param {Details} [values] @returns {string} the text of this name with these values */
  const text = (name, values = {}) => fill(texts.dataset[name] ?? "", values);

  /** @param {string} sentence @param {string} [verdict] */
  function summarize(sentence, verdict = "") {
    summary.textContent = sentence;
    summary.classList.toggle("notice-error", verdict === "broken");
    summary.classList.toggle("notice-good", verdict === "holds");
    part(root, "results").hidden = false;
  }

  /** @param {string} check @param {string} verdict "waiting", "running", or the result @param {string} [name] of its text */
  function showVerdict(check, verdict, name = verdict) {
    const item = /** @type {HTMLElement} */ (root.querySelector(`[data-check="${check}"]`));
    item.dataset.verdict = verdict;
    part(item, "verdict").textContent = text(name);
  }

  /** @param {Finding} finding */
  function findingText({ check, code, details }) {
    const element =
      texts.querySelector(`[data-finding="${check} ${code}"]`) ?? texts.querySelector(`[data-finding="${code}"]`);
    return fill(element?.textContent ?? code, details);
  }

  /** @param {Finding} finding @returns {Node[]} its text, and a link to its event */
  function findingNodes(finding) {
    const { seq } = finding.details;
    const sentence = document.createTextNode(`${findingText(finding)} `);
    if (seq === undefined || root.dataset.event === undefined) return [sentence];
    const link = document.createElement("a");
    link.href = `${root.dataset.event}${seq}`;
    link.textContent = text("seeEvent", { seq });
    return [sentence, link];
  }

  /** @param {Finding} finding */
  function showFinding(finding) {
    if (finding.verdict === "broken") firstFault ??= finding;
    const list = part(/** @type {HTMLElement} */ (root.querySelector(`[data-check="${finding.check}"]`)), "findings");
    const item = document.createElement("li");
    item.append(...findingNodes(finding));
    list.append(item);
    list.hidden = false;
    if (finding.verdict === "broken") showVerdict(finding.check, "broken");
  }

  /** @param {Record<string, Verdict>} verdicts */
  function showEnd(verdicts) {
    const open = Object.values(verdicts).includes("unknown");
    if (firstFault) {
      summarize(`${text("firstFault")} `, "broken");
      summary.append(...findingNodes(firstFault));
    } else summarize(text(open ? "open" : "allHold"), open ? "" : "holds");
  }

  /** @param {Report | End} report */
  function show(report) {
    if (report.kind === "finding") showFinding(report.finding);
    else if (report.kind === "verdict") {
      const isEmpty = report.verdict === "holds" && report.examined === 0;
      showVerdict(report.check, report.verdict, isEmpty ? "nothing" : report.verdict);
    }
    else if (report.kind === "progress") part(root, "progress").textContent = text("lines", { lines: report.lines });
    else if (report.kind === "header") {
      const key = report.keys.map(({ public: bytes }) => bytes).join(", ");
      part(root, "claim").textContent = text("claim", { key });
    } else {
      worker?.terminate();
      if (report.kind === "end") showEnd(report.verdicts);
      else if (report.kind === "failed") summarize(text("failed"), "broken");
      else summarize(text("badReceipts", { line: report.line }), "broken");
    }
  }

  /** @returns {TrustedKey[]} the keys that the visitor has chosen */
  function trustedKeys() {
    const own = /** @type {TrustedKey[]} */ (JSON.parse(root.dataset.keys ?? "[]"));
    if (new FormData(form).get("keys") === "server") return own;
    const written = /** @type {HTMLTextAreaElement} */ (form.querySelector("textarea")).value.trim();
    try {
      const { keys } = JSON.parse(written);
      return keys.filter((/** @type {TrustedKey} */ key) => key.public.match(PUBLIC_KEY));
    } catch {
      return [...new Set(written.toLowerCase().match(PUBLIC_KEY))].map((key) => ({ public: key }));
    }
  }

  /** @param {readonly File[]} chosen @returns {Promise<Blob | undefined>} */
  async function record(chosen) {
    const file = chosen.find(({ name }) => !name.endsWith(".receipts"));
    if (file || root.dataset.record === undefined) return file;
    const response = await fetch(root.dataset.record);
    if (!response.ok) throw new Error(String(response.status));
    return response.blob();
  }

  /** @param {readonly File[]} chosen */
  async function verify(chosen) {
    worker?.terminate();
    firstFault = undefined;
    for (const item of root.querySelectorAll("[data-check]")) {
      const element = /** @type {HTMLElement} */ (item);
      part(element, "findings").replaceChildren();
      part(element, "findings").hidden = true;
      showVerdict(element.dataset.check ?? "", "waiting");
    }
    part(root, "progress").textContent = part(root, "claim").textContent = "";
    const trusted = trustedKeys();
    if (trusted.length === 0) return summarize(text("noKeys"), "broken");
    summarize(text("reading"));
    let blob;
    try {
      blob = await record(chosen);
    } catch {
      return summarize(text("noRecord"), "broken");
    }
    if (!blob) return summarize(text("noFile"), "broken");
    for (const item of root.querySelectorAll("[data-check]"))
      showVerdict(/** @type {HTMLElement} */ (item).dataset.check ?? "", "running");
    worker = new Worker(new URL("./verify/worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => show(data);
    worker.onerror = () => summarize(text("failed"), "broken");
    const receipts = chosen.filter(({ name }) => name.endsWith(".receipts"));
    worker.postMessage({ record: blob, receipts, trusted });
  }

  /** @param {DragEvent} event */
  function drag(event) {
    event.preventDefault();
    dropZone.classList.toggle("is-over", event.type === "dragover");
    if (event.type !== "drop" || !event.dataTransfer) return;
    files.files = event.dataTransfer.files;
    void verify([...event.dataTransfer.files]);
  }

  for (const type of ["dragover", "dragleave", "drop"])
    root.addEventListener(type, (event) => drag(/** @type {DragEvent} */ (event)));
  files.addEventListener("change", () => void verify([...(files.files ?? [])]));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void verify([...(files.files ?? [])]);
  });
  root.hidden = false;
  if (root.dataset.record !== undefined) void verify([]);
  return () => worker?.terminate();
}

/** @param {HTMLElement} element @param {string} name @returns {HTMLElement} */
const part = (element, name) => /** @type {HTMLElement} */ (element.querySelector(`[data-part="${name}"]`));

/** @param {string} template @param {Details} values */
const fill = (template, values) => template.replace(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place));
