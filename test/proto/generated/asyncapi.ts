/** asyncapi.yaml: one channel, which is the socket, and one message for each frame, with examples from the vectors. */

import { FrameType, JSON_SUBPROTOCOL, SUBPROTOCOL } from '../../../proto/frames.js';
import { encodeVectors } from '../vectors/encode-vectors.js';
import { type FrameName, frameCatalogue } from './frame-catalogue.js';
import { frameNames, frameSchema } from './frame-schemas.js';

const sentBy = (side: 'client' | 'server'): readonly FrameName[] => {
  return frameNames.filter((name) => frameCatalogue[name].direction !== (side === 'client' ? 'server' : 'client'));
};
const inChannel = (name: FrameName) => ({ $ref: `#/channels/socket/messages/${name}` });

function message(name: FrameName) {
  const { direction, summary } = frameCatalogue[name];
  const examples = encodeVectors.filter((vector) => vector.json[0] === FrameType[name]);
  return {
    name,
    title: name.toUpperCase(),
    summary,
    contentType: 'application/vnd.msgpack',
    'x-frame-type': FrameType[name],
    'x-direction': direction,
    payload: { $ref: `#/components/schemas/${name}` },
    examples: examples.map((vector) => ({ name: vector.name, payload: vector.json })),
  };
}

export const asyncapi = {
  asyncapi: '3.0.0',
  info: {
    title: 'Rankcast live ranks',
    version: '1.0.0',
    description:
      'Live windows of leaderboards over one WebSocket. Frames are positional arrays, so do not expect much of code generators; ' +
      'PROTOCOL.md is the normative text, with state machines, limits and walk-throughs.',
    license: { name: 'Apache-2.0' },
  },
  defaultContentType: 'application/vnd.msgpack',
  servers: {
    local: {
      host: 'localhost:8080',
      protocol: 'ws',
      description: 'Where a server listens unless told otherwise. Behind TLS: wss.',
    },
  },
  channels: {
    socket: {
      address: '/v1/socket',
      title: 'The socket',
      description:
        `Subprotocol ${SUBPROTOCOL}: one binary message is one frame. ${JSON_SUBPROTOCOL}: one text message is the same array ` +
        'as JSON, for debugging.',
      messages: Object.fromEntries(frameNames.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
      bindings: {
        ws: {
          method: 'GET',
          query: {
            type: 'object',
            properties: {
              ticket: { type: 'string', description: 'From POST /v1/tickets, where the token cannot go into HELLO.' },
            },
          },
          headers: {
            type: 'object',
            properties: {
              'Sec-WebSocket-Protocol': { type: 'string', examples: [SUBPROTOCOL, JSON_SUBPROTOCOL] },
              Authorization: { type: 'string', description: 'Bearer token, for clients that can set headers.' },
            },
          },
          bindingVersion: '0.1.0',
        },
      },
    },
  },
  operations: {
    fromClient: {
      action: 'receive',
      channel: { $ref: '#/channels/socket' },
      summary: 'What a client may send. HELLO first, and nothing else before WELCOME.',
      messages: sentBy('client').map(inChannel),
    },
    toClient: {
      action: 'send',
      channel: { $ref: '#/channels/socket' },
      summary: 'What the server sends. Frames of unknown types are to be skipped.',
      messages: sentBy('server').map(inChannel),
    },
  },
  components: {
    messages: Object.fromEntries(frameNames.map((name) => [name, message(name)])),
    schemas: Object.fromEntries(frameNames.map((name) => [name, frameSchema(name)])),
  },
};
