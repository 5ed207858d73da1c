/** Every fault at the server of each provider that Tiller names, on each of its wires. */
import { IMITATIONS } from '../support/imitations.ts';
import { faultSuite } from './faultSuite.ts';

const servers = IMITATIONS.flatMap((imitation) => imitation.wires.map((wire) => ({ imitation, wire })));
for (const [index, { imitation, wire }] of servers.entries()) faultSuite(wire, { imitation, index });
