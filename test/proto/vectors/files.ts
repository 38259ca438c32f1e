/** The vector files as they must stand under proto/vectors: name and exact text. */

import { JSON_SUBPROTOCOL, SUBPROTOCOL } from '../../../proto/frames.js';
import { flowRules, flows } from '../flows/flows.js';
import { applyVectors } from './apply-vectors.js';
import { checkVectors } from './check-vectors.js';
import { decodeVectors, unknownVectors } from './decode-vectors.js';
import { encodeVectors } from './encode-vectors.js';
import { invalidJsonVectors, invalidVectors } from './invalid-vectors.js';

export interface VectorFile {
  readonly name: string;
  readonly text: string;
}

const CONFLICT_RULE = 'Where a vector and PROTOCOL.md disagree, PROTOCOL.md is right and the vector gets corrected.';

function file(
  name: string,
  rules: readonly string[],
  lists: Record<string, readonly object[]>,
  subprotocol = SUBPROTOCOL,
): VectorFile {
  const head = { version: 1, subprotocol, generatedBy: 'test/proto/write-files.ts' };
  const lines = [
    ...Object.entries(head).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)},`),
    `  "rules": [\n${indented([...rules, CONFLICT_RULE])}\n  ],`,
    Object.entries(lists)
      .map(([key, vectors]) => `  ${JSON.stringify(key)}: [\n${indented(vectors)}\n  ]`)
      .join(',\n'),
  ];
  return { name, text: `{\n${lines.join('\n')}\n}\n` };
}

/** One vector a line: a changed vector is a changed line. */
function indented(values: readonly unknown[]): string {
  return values.map((value) => `    ${JSON.stringify(value)}`).join(',\n');
}

export const vectorFiles: readonly VectorFile[] = [
  file(
    'encode.json',
    [
      'hex is what the server of this version makes of json; dir says who sends the frame.',
      'Compare decoded values, not bytes: encoders differ, and all forms of decode.json are right.',
    ],
    { vectors: encodeVectors },
  ),
  file(
    'decode.json',
    [
      'vectors: each of forms must be read as frame: cut the decoded array to the length of frame, take missing elements as nil, compare. Spaces in hex mean nothing.',
      'Numbers compare as numbers: 7 and 7.0 are the same, and so are 0 and -0.',
      'unknown: skip = a client goes on as if nothing had come; error-400 = the server answers ERROR 400 and the session goes on.',
    ],
    { vectors: decodeVectors, unknown: unknownVectors },
  ),
  file(
    'invalid.json',
    [
      'vectors, in the binary subprotocol: the message is the concatenation of parts, each hex text as many times as the number beside it.',
      `json, in ${JSON_SUBPROTOCOL}: the same with text that is sent as it stands.`,
      'close is the code with which the server closes the socket that sent the message, and only that, whatever was sent before.',
    ],
    { vectors: invalidVectors, json: invalidJsonVectors },
  ),
  file(
    'apply.json',
    [
      'frames are decoded SNAPSHOT and DELTA frames of one topic, in the order in which they come.',
      'expect.entries is the window after the last of them, in the order shown, each [playerId, score, rank].',
      'expect.resyncs is how many RESYNC frames the client sends. No answer comes except where frames has one.',
    ],
    { vectors: applyVectors },
  ),
  file(
    'check.json',
    [
      'rows is what a window shows, in the order shown: [ref, score] in a placed window, [ref, score, rank] in friends and me.',
      'check is the checksum that SYNC carries for it.',
    ],
    { vectors: checkVectors },
  ),
  file('flows.json', flowRules, { flows }, `${SUBPROTOCOL} or ${JSON_SUBPROTOCOL}`),
];
