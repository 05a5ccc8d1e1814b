// Which tokens are no words: start, end, punctuation; as measures.py and experiments/heads/words.py have them.

export const END = "</s>";
const STARTS = ["<s>", "<pad>"]; // in some models, padding is what the decoder reads first

export const isStart = (token: string): boolean => STARTS.includes(token);
export const isPunctuation = (token: string): boolean => /^\p{P}*$/u.test(token);
export const isSink = (token: string): boolean => token === END || isStart(token) || isPunctuation(token);
