import { createTheme } from '@mantine/core'

/** Calm and dense: small radii, one accent, text sizes for portal users who read tables all day. */
export const theme = createTheme({
  primaryColor: 'cyan',
  // White text on any lighter one is hard to read.
  primaryShade: 9,
  autoContrast: true,
  defaultRadius: 'sm',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontWeight: '600' },
  components: {
    Table: { defaultProps: { verticalSpacing: 6, horizontalSpacing: 8, fz: 'sm' } },
    Button: { defaultProps: { size: 'sm' } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none' } },
    Loader: { defaultProps: { role: 'progressbar' } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    Modal: { defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } } },
  },
})
