export interface Subject {
  cluster?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  provider?: string;
  id?: string;
}

export interface LeadTimes {
  /** What is counted, in the server's words. */
  definition: string;
  count: number;
  p50Seconds?: number;
  p90Seconds?: number;
  days?: { day: string; count: number; p50Seconds?: number; p90Seconds?: number }[];
  applications?: { application: Subject; count: number; p50Seconds?: number; p90Seconds?: number }[];
}

export interface Drifts {
  definition: string;
  count: number;
  open: number;
  p50Seconds?: number;
  p90Seconds?: number;
  managers?: Record<string, number>;
  drifters?: { subject: Subject; count: number }[];
  days?: { day: string; count: number }[];
}
