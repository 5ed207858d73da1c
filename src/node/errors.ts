/** The words of the hands in Node for errors of the system. */
export { errorCode, isMissing, messageOf } from '../core/util/fileErrors.ts';
