// onnxruntime.cjs MODEL.onnx: reads rows of numbers as JSON from standard input, and prints the scores that
// onnxruntime-web gives them as JSON. NODE_PATH names the folder node_modules.
const fs = require('fs');
const ort = require('onnxruntime-web');

async function main() {
  const rows = JSON.parse(fs.readFileSync(0));
  const session = await ort.InferenceSession.create(fs.readFileSync(process.argv[2]));
  const features = new ort.Tensor('float32', Float32Array.from(rows.flat()), [rows.length, rows[0].length]);
  console.log(JSON.stringify(Array.from((await session.run({ features })).scores.data)));
}
main();
