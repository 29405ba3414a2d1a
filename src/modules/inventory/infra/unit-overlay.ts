/** What single-unit events say about a unit of a rooftop. Times are milliseconds; null where no event spoke. */
export interface UnitOverlay {
  readonly vin: string;
  readonly status: 'sold' | 'removed' | null;
  readonly statusTime: number | null;
  readonly priceMinor: number | null;
  readonly currency: string | null;
  readonly priceTime: number | null;
}

/** Whether an event took the unit off the market after the feed had looked at it. */
export function hides(overlay: UnitOverlay, observedAt: number): boolean {
  return overlay.statusTime !== null && overlay.statusTime >= observedAt;
}

/** The price that an event set after the feed had looked at the unit, and when (milliseconds); undefined when the feed's own stands. */
export function newerPrice(
  overlay: UnitOverlay,
  observedAt: number,
): { readonly amount: { amount_minor: number; currency: string }; readonly at: number } | undefined {
  const { priceMinor, currency, priceTime } = overlay;
  if (priceMinor === null || currency === null || priceTime === null || priceTime < observedAt) return undefined;
  return { amount: { amount_minor: priceMinor, currency }, at: priceTime };
}
