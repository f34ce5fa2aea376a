/** CSS pixels of the window in which every engine is looked at. */
export const windowSize = { width: 1440, height: 900 };
