import { conformance } from './conformance.ts';

conformance('responses');
conformance('chat');
