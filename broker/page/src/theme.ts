// Before the first paint: the colours that the reader chose, where they are not the system's.
try {
  const chosen = localStorage.getItem('leasehold.theme')
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
} catch {
  // No storage: the system's colours.
}
export {}
