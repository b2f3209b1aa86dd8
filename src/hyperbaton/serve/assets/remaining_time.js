// The remaining time of a step. The server's estimate only gets better when the step has made
// progress; between two such moments it would climb, so the page counts down instead.

const FEW = 8; // seconds that are not worth counting

export class RemainingTime {
  constructor() {
    this.basis = ""; // the progress that the estimate is about
    this.end = null; // when the step ends, in milliseconds
  }

  // Returns the words for the rest of the step, or "" if it is not known.
  update({ step, done, seconds_left: left }) {
    const basis = `${step} ${done}`;
    if (basis !== this.basis) {
      this.basis = basis;
      this.end = typeof left === "number" ? performance.now() + left * 1000 : null;
    }
    const seconds = this.end === null ? -1 : (this.end - performance.now()) / 1000;
    // An estimate that has run out was wrong: nothing is known until the next progress.
    return seconds < 0 ? "" : `${describeEstimate(seconds)} left in this step`;
  }
}

function describeEstimate(seconds) {
  if (seconds < FEW) return "a few seconds";
  if (seconds < 55) return `about ${Math.round(seconds / 10) * 10 || 10} seconds`;
  if (seconds < 90) return "about a minute";
  return `about ${Math.round(seconds / 60)} minutes`;
}
