const messages = new Map();
const words = (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
const recall = ({ question, limit }) => {
  const asked = words(question);
  const overlap = (message) => [...words(message.text)].filter((word) => asked.has(word)).length;
  const found = [...messages.values()].map((message) => ({ source_ids: [message.id], score: overlap(message) }));
  return { passages: found.filter((passage) => passage.score).sort((a, b) => b.score - a.score).slice(0, limit) };
};
const methods = {
  hello: () => ({ protocol: 1, name: "overlap" }),
  ingest: (params) => { params.messages.forEach((message) => messages.set(message.id, message)); return {}; },
  recall,
};
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const call = methods[method];
  console.log(JSON.stringify({ id, result: call ? call(params) : {} }));
});
