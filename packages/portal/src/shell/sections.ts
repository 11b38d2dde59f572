import type { Section } from './section.ts'

/** In the sequence of the navigation. */
export const sections: readonly Section[] = []
