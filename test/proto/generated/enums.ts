/** enums.json: every number of the protocol by its name, for those who generate constants. */

import { CloseCode, retryAfterClose } from '../../../proto/close-codes.js';
import {
  Capability,
  ErrorCode,
  FrameType,
  GoawayReason,
  JSON_SUBPROTOCOL,
  MAX_CLIENT_FRAME_BYTES,
  MAX_SERVER_FRAME_BYTES,
  ResyncWhy,
  SUBPROTOCOL,
  SubscribeStart,
  WindowKind,
} from '../../../proto/frames.js';
import { isRetryableCode } from '../../../src/client/errors.js';

export const enums = {
  version: 1,
  generatedBy: 'test/proto/write-files.ts',
  subprotocols: [SUBPROTOCOL, JSON_SUBPROTOCOL],
  frameTypes: FrameType,
  capabilities: Capability,
  windowKinds: WindowKind,
  starts: SubscribeStart,
  resyncWhys: ResyncWhy,
  goawayReasons: GoawayReason,
  maxClientFrameBytes: MAX_CLIENT_FRAME_BYTES,
  maxServerFrameBytes: MAX_SERVER_FRAME_BYTES,
  errorCodes: Object.entries(ErrorCode).map(([name, code]) => ({ name, code, retry: isRetryableCode(code) })),
  closeCodes: Object.entries(CloseCode).map(([name, code]) => ({ name, code, retry: retryAfterClose(code) })),
  otherCloseCodes: [
    { from: 4400, to: 4499, retry: 'no' },
    { from: 1000, to: 4999, retry: 'yes' },
  ],
} as const;
