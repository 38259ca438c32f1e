/** Load is drawn as the simulator draws its matches. */

export { seededRandom, zipfChoice } from '../../src/verify/zipf.js';
