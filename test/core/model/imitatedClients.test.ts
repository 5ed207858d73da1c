/** The contract of a client, against the server of each provider that Tiller names, on each of its wires. */
import { IMITATIONS } from '../../support/imitations.ts';
import { conformance } from './conformance.ts';

for (const imitation of IMITATIONS) for (const wire of imitation.wires) conformance(wire, imitation);
