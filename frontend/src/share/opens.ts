// The event by which another component opens the box.
export const OPENS = "viz-transformer-share";
