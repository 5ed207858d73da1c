import type { CapSettings } from '../../src/core/session/caps.ts';

const NO_CAP = { tokens: null, cost: null };

export const NO_CAPS: CapSettings = { turn: NO_CAP, day: NO_CAP, month: NO_CAP };
