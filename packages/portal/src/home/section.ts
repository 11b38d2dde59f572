import type { Section } from '../shell/section.ts'

export const homeSection: Section = { title: null, entries: [], routes: [] }
