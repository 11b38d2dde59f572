import type { Section } from '../shell/section.ts'

export const settingsSection: Section = { title: 'Settings', entries: [], routes: [] }
