/** What kind of device a page is shown on. */
export const screenForms = ['phone', 'tablet', 'desktop', 'tv'] as const;

export type ScreenForm = (typeof screenForms)[number];
