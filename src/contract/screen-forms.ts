/** The kinds of devices that a page is shown on. */
export const screenForms = ['phone', 'tablet', 'desktop', 'tv'] as const;

export type ScreenForm = (typeof screenForms)[number];
