import { createContext } from 'react';

/** Opens another section of Administration, by its name. */
export const SectionSwitch = createContext<(name: string) => void>(() => {});
