// @ts-check
/** The sounds of a table, which the browser makes of tones: no files are loaded. */

/**
 * A tone: when it begins and how long it lasts, in milliseconds; its wave; its pitch at the beginning and at the end, in
 * hertz; its volume from 0 to 1.
 * @typedef {[begin: number, length: number, wave: OscillatorType, from: number, to: number, volume: number]} Tone
 */

const ATTACK = 0.004;

/** What is heard, by its name: no sound takes 400 milliseconds. @type {Record<string, Tone[]>} */
export const SOUNDS = {
  piece: [[0, 60, "triangle", 210, 90, 0.5], [0, 25, "square", 900, 300, 0.08]],
  take: [[0, 60, "triangle", 190, 80, 0.5], [70, 170, "sawtooth", 150, 55, 0.25]],
  token: [[0, 90, "sine", 1320, 1320, 0.2], [80, 160, "sine", 1760, 1760, 0.2]],
  spell: [[0, 340, "sine", 520, 1560, 0.18], [90, 250, "sine", 780, 2080, 0.1]],
  turn: [[0, 160, "sine", 660, 660, 0.3], [150, 220, "sine", 880, 880, 0.3]],
  seconds: [[0, 45, "square", 990, 990, 0.12], [130, 45, "square", 990, 990, 0.12], [260, 45, "square", 990, 990, 0.12]],
  end: [[0, 130, "sine", 523, 523, 0.25], [110, 130, "sine", 659, 659, 0.25], [220, 170, "sine", 784, 784, 0.25]],
};

/** @type {AudioContext | undefined} */
let context;

/** Make a sound. @param {string} name */
export function make(name) {
  const tones = SOUNDS[name];
  if (!tones) return;
  context ??= new AudioContext();
  // The browser may have suspended it until the visitor does something.
  void context.resume();
  for (const tone of tones) sing(context, tone);
}

/** @param {AudioContext} audio @param {Tone} tone */
function sing(audio, [begin, length, wave, from, to, volume]) {
  const start = audio.currentTime + begin / 1000;
  const end = start + length / 1000;
  const oscillator = new OscillatorNode(audio, { type: wave, frequency: from });
  const gain = new GainNode(audio, { gain: 0 });
  oscillator.frequency.setValueAtTime(from, start);
  oscillator.frequency.exponentialRampToValueAtTime(to, end);
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(volume, start + ATTACK);
  gain.gain.exponentialRampToValueAtTime(0.0001, end);
  oscillator.connect(gain).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(end);
}
