/** What can be undone from administration. */
export const tagChangeKinds = ['removal', 'merge', 'import', 'sidecars'] as const;
export type TagChangeKind = (typeof tagChangeKinds)[number];

export const tagChangeStates = ['running', 'done', 'failed', 'undoing', 'undone'] as const;
export type TagChangeState = (typeof tagChangeStates)[number];

/** Who may change tags and what they are on. */
export const tagEditingPolicies = ['everyone', 'admins'] as const;
export type TagEditingPolicy = (typeof tagEditingPolicies)[number];

export const transferFormats = ['csv', 'json'] as const;
export type TransferFormat = (typeof transferFormats)[number];
