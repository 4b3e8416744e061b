// @ts-check
/**
 * The page that verifies records: gives the files to a worker, and shows each check as it runs. All texts are in the
 * page (service/pages/view_models/verifier_texts.py); a name in braces in them is replaced by a value.
 */

/** @import {Details, Finding, Report, Summary, Topic, TrustedKey} from "./verify/types" */
/** @typedef {{kind: "bad-receipts", line: number} | {kind: "end"} | {kind: "failed"}} End */

import { all } from "./evidence.js";
import { receiptFile } from "./receipts.js";

/** How many open questions are explained, as in replay/audit/summary.py. */
const MAX_MEANINGS = 2;
const PUBLIC_KEY = /\b[0-9a-f]{64}\b/g;

/**
 * @param {DOMStringMap} data of the page
 * @returns {Promise<{file?: File, nonces: import("./verify/types").SentNonce[]}>} the receipts that this browser has kept
 *   for the account, and the nonces that it sent
 */
async function keptEvidence({ account = "", game }) {
  const file = await receiptFile(account, game);
  // A guest has sent the first ones before there was an account.
  const nonces = await Promise.all([...new Set([account, ""])].map((owner) => all("nonces", [owner]))).catch(() => []);
  return { file, nonces: nonces.flat() };
}

/** @param {HTMLElement} root */
export function start(root) {
  const texts = part(root, "texts");
  const form = /** @type {HTMLFormElement} */ (part(root, "form"));
  const dropZone = part(root, "drop-zone");
  const files = /** @type {HTMLInputElement} */ (form.querySelector("input[type=file]"));
  const summary = part(root, "summary");
  const items = /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-check]"));
  /** @type {Worker | undefined} */
  let worker;
  /** @type {Map<string, string>} The names of the players, by id. */
  let names = new Map();
  /** @type {Summary} */
  let result;

  /** @param {string} name @param {Details} [values] @returns {string} the text of this name with these values */
  const text = (name, values = {}) => fill(texts.dataset[name] ?? "", values);

  /** @param {string} kind @param {string | number} name @param {Details} [values] @returns {string} a text of this kind */
  const textOf = (kind, name, values = {}) =>
    fill(texts.querySelector(`[data-${kind}="${name}"]`)?.textContent ?? String(name), values);

  /** @param {string} check @returns {HTMLElement} the item of a check in the list of results */
  const itemOf = (check) => /** @type {HTMLElement} */ (root.querySelector(`[data-check="${check}"]`));

  /** @param {string} sentence @param {string} [verdict] */
  function summarize(sentence, verdict = "") {
    summary.textContent = sentence;
    part(root, "meaning").textContent = "";
    part(root, "holders").hidden = true;
    summary.classList.toggle("notice-error", verdict === "broken");
    summary.classList.toggle("notice-good", verdict === "holds");
    part(root, "results").hidden = false;
  }

  /** @param {string} check @param {string} verdict "waiting", "running", or the result @param {string} [name] of its text */
  function showVerdict(check, verdict, name = verdict) {
    const item = itemOf(check);
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

  /** @param {string} check @param {(Node | string)[]} nodes */
  function addSentence(check, ...nodes) {
    const list = part(itemOf(check), "findings");
    list.append(listItem(...nodes));
    list.hidden = false;
  }

  /** @param {Finding} finding */
  function showFinding(finding) {
    addSentence(finding.check, ...findingNodes(finding));
    if (finding.verdict === "broken") showVerdict(finding.check, "broken");
  }

  /** @param {string} player */
  const nameOf = (player) => names.get(player) ?? player;

  /** @param {readonly Topic[]} topics @returns {string} */
  function openSentence(topics) {
    const questions = topics.map((topic) => textOf("question", topic));
    if (questions.length === 1) return textOf("sentence", "one-open", { question: questions[0] });
    const number = textOf("number", questions.length);
    return textOf("sentence", "several-open", { number, questions: listOf(questions) });
  }

  /** @param {Summary} result */
  function showSummary({ fault, seq, responsible, topics, actions, signed, holders, copies }) {
    const meaning = part(root, "meaning");
    if (fault) {
      const values = { seq: seq ?? undefined, fault: textOf("fault", fault.check) };
      summarize(textOf("sentence", seq === null ? "broken" : "broken-event", values), "broken");
      meaning.append(...findingNodes(fault), ` ${textOf("sentence", `answers-${responsible}`)}`);
    } else if (topics.length > 0) {
      summarize(openSentence(topics));
      const explained = topics.slice(0, MAX_MEANINGS).map((topic) => textOf("meaning", topic));
      meaning.textContent = [textOf("sentence", "open-means"), ...explained].join(" ");
    } else {
      summarize(textOf("sentence", "sound"), "holds");
      const signing = signed === actions ? "all-signed" : signed ? "some-signed" : "none-signed";
      const sentences = [textOf("sentence", "sound-means")];
      if (actions > 0) sentences.push(textOf("sentence", signing, { actions, signed }));
      meaning.textContent = sentences.join(" ");
    }
    const lines = holders.map(({ player, seq }) =>
      textOf("sentence", "receipt", { player: nameOf(player), seq }),
    );
    if (copies.length > 0) lines.push(textOf("sentence", "copies", { players: listOf(copies.map(nameOf)) }));
    part(root, "holders").replaceChildren(...lines.map((line) => listItem(line)));
    part(root, "holders").hidden = lines.length === 0;
  }

  /** @param {Report | End} report */
  function show(report) {
    if (report.kind === "finding") showFinding(report.finding);
    else if (report.kind === "verdict") {
      const isEmpty = report.verdict === "holds" && report.examined === 0;
      showVerdict(report.check, report.verdict, isEmpty ? "nothing" : report.verdict);
    }
    else if (report.kind === "progress") part(root, "progress").textContent = text("lines", { lines: report.lines });
    else if (report.kind === "summary") result = report.summary;
    else if (report.kind === "sent-nonces") {
      if (report.count > 0) addSentence("chance", text("sentNonces"));
    }
    else if (report.kind === "header") {
      const key = report.keys.map(({ public: bytes }) => bytes).join(", ");
      part(root, "claim").textContent = text("claim", { key });
      names = report.names;
    } else {
      worker?.terminate();
      if (report.kind === "end") showSummary(result);
      else if (report.kind === "failed") summarize(text("failed"), "broken");
      else summarize(text("badReceipts", { line: report.line }), "broken");
    }
  }

  /** @returns {{trusted: TrustedKey[], log?: string}} the keys that the visitor has chosen, and the log of their server */
  function trustedKeys() {
    const own = /** @type {TrustedKey[]} */ (JSON.parse(root.dataset.keys ?? "[]"));
    if (new FormData(form).get("keys") === "server") return { trusted: own, log: root.dataset.log };
    const written = /** @type {HTMLTextAreaElement} */ (form.querySelector("textarea")).value.trim();
    try {
      const { keys, log } = JSON.parse(written);
      return { trusted: keys.filter((/** @type {TrustedKey} */ key) => key.public.match(PUBLIC_KEY)), log };
    } catch {
      return { trusted: [...new Set(written.toLowerCase().match(PUBLIC_KEY))].map((key) => ({ public: key })) };
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
    for (const item of items) {
      part(item, "findings").replaceChildren();
      part(item, "findings").hidden = true;
      showVerdict(item.dataset.check ?? "", "waiting");
    }
    part(root, "progress").textContent = part(root, "claim").textContent = "";
    const { trusted, log } = trustedKeys();
    if (trusted.length === 0) return summarize(text("noKeys"), "broken");
    summarize(text("reading"));
    let blob;
    try {
      blob = await record(chosen);
    } catch {
      return summarize(text("noRecord"), "broken");
    }
    if (!blob) return summarize(text("noFile"), "broken");
    for (const item of items) showVerdict(item.dataset.check ?? "", "running");
    worker = new Worker(new URL("./verify/worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => show(data);
    worker.onerror = () => summarize(text("failed"), "broken");
    const receipts = chosen.filter(({ name }) => name.endsWith(".receipts"));
    const { file, nonces } = await keptEvidence(root.dataset);
    if (file) {
      receipts.push(file);
      addSentence("receipts", text("keptReceipts"));
    }
    const setUps = JSON.parse(root.dataset.setUps ?? "{}");
    worker.postMessage({ record: blob, receipts, nonces, trusted, log, setUps });
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

/** @param {(Node | string)[]} nodes @returns {HTMLLIElement} */
function listItem(...nodes) {
  const item = document.createElement("li");
  item.append(...nodes);
  return item;
}

/** @param {readonly string[]} items @returns {string} the items as one phrase, without a comma before "and" */
function listOf(items) {
  const { lang } = document.documentElement;
  return new Intl.ListFormat(lang === "en" ? "en-GB" : lang, { type: "conjunction" }).format(items);
}
