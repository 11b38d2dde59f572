/**
 * Features of the browser that are off. Chromium takes the last list only, so this one repeats that
 * of Playwright 1.65. Those of the address bar would load two pages of the browser itself for each
 * context. The last feature would start a process in reserve for each site. Together they cost a
 * third of what a test with a browser computes.
 */
const OFF = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'SpareRendererForSitePerProcess',
] as const

/** How the tests start Chromium. */
export const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Frames of other sites get processes of their own: by itself only the whole browser does that.
  '--site-per-process',
  `--disable-features=${OFF.join(',')}`,
]
