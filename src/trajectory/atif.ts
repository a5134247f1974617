/* The Agent Trajectory Interchange Format, version 1.7 (RFC 0001 of the Harbor project): the shapes, as far as this program writes and reads them. */

export const ATIF_VERSION = 'ATIF-v1.7';

export interface AtifToolCall {
  tool_call_id: string;
  function_name: string;
  arguments: Record<string, unknown>;
  extra?: Record<string, unknown>;
}

export interface AtifResult {
  source_call_id?: string;
  content?: string;
  subagent_trajectory_ref?: { trajectory_id: string }[];
  extra?: Record<string, unknown>;
}

export interface AtifMetrics {
  prompt_tokens?: number;
  completion_tokens?: number;
  cached_tokens?: number;
}

export interface AtifStep {
  /** From 1, without gaps. */
  step_id: number;
  timestamp?: string;
  source: 'system' | 'user' | 'agent';
  message: string;
  model_name?: string;
  reasoning_content?: string;
  tool_calls?: AtifToolCall[];
  observation?: { results: AtifResult[] };
  metrics?: AtifMetrics;
  extra?: Record<string, unknown>;
}

export interface AtifTrajectory {
  schema_version: string;
  session_id?: string;
  trajectory_id?: string;
  agent: {
    name: string;
    version: string;
    model_name?: string;
    tool_definitions?: unknown[];
    extra?: Record<string, unknown>;
  };
  steps: AtifStep[];
  notes?: string;
  final_metrics?: {
    total_prompt_tokens?: number;
    total_completion_tokens?: number;
    total_cached_tokens?: number;
    total_steps?: number;
  };
  subagent_trajectories?: AtifTrajectory[];
  extra?: Record<string, unknown>;
}
