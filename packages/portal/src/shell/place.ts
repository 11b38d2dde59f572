/** The application that these pages are built for: the portal of merchants, or the console. */
interface Place {
  /** The path of its pages; its API is below, at `/api`. */
  readonly root: string
  readonly name: string
  /** The label of the navigation, for screen readers. */
  readonly navigation: string
  /** A hint for the e-mail address of the sign-in; null for none. */
  readonly emailHint: string | null
}

const PORTAL: Place = {
  root: '/portal',
  name: 'Tollgate portal',
  navigation: 'Portal',
  emailHint: 'With # and the number that your invitation showed, if it showed one.',
}

const CONSOLE: Place = {
  root: '/console',
  name: 'Tollgate console for operators',
  navigation: 'Console',
  emailHint: null,
}

/** Chosen by the base of the build. */
export const PLACE: Place = import.meta.env.BASE_URL === '/console/' ? CONSOLE : PORTAL
