/** All sockets of a run come from one address, as fast as it can. */
export const ALL_FROM_ONE_ADDRESS = {
  RANKCAST_LIMIT_SOCKETS_PER_ADDRESS: '20000',
  RANKCAST_LIMIT_CONNECTS_PER_ADDRESS: '20000',
  RANKCAST_LIMIT_CONNECTS: '10000',
} as const;
