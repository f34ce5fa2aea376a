/** What can be undone from administration, and `person`: that all changes of one person were undone. */
export const tagChangeKinds = ['removal', 'merge', 'import', 'sidecars', 'person'] as const;
export type TagChangeKind = (typeof tagChangeKinds)[number];

export const tagChangeStates = ['running', 'done', 'failed', 'undoing', 'undone'] as const;
export type TagChangeState = (typeof tagChangeStates)[number];

/** How far back the changes of one person are undone, in hours. */
export const personUndoHours = [1, 24, 168, 720] as const;
/** How each of these spans is said. */
export const personUndoSpans: { readonly [Hours in PersonUndoHours]: string } = {
  1: 'the last hour',
  24: 'the last day',
  168: 'the last 7 days',
  720: 'the last 30 days',
};
export type PersonUndoHours = (typeof personUndoHours)[number];

/** Who may change tags and what they are on. */
export const tagEditingPolicies = ['everyone', 'admins'] as const;
export type TagEditingPolicy = (typeof tagEditingPolicies)[number];

export const transferFormats = ['csv', 'json'] as const;
export type TransferFormat = (typeof transferFormats)[number];
