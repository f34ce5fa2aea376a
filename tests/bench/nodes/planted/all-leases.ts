/** Loaded into a node before its own code, a fault that the checker has to find: the node believes to have every lease. */
import { Lease } from '#server/nodes/lease.ts';

Object.defineProperty(Lease.prototype, 'isHeld', { get: () => true });
