// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Entry points of cuda::api for streams and events.

namespace skerry::rehearsal {

int stream_create(void** handle);
int stream_destroy(void* handle);
int stream_synchronize(void* handle);
int stream_query(void* handle);
int stream_wait_event(void* handle, void* event);
int stream_is_capturing(void* handle, int* capturing);
int stream_device(void* handle, int* ordinal);
int event_create(void** event);
int event_create_timed(void** event);
int event_destroy(void* event);
int event_record(void* event, void* handle);
int event_query(void* event);
int event_synchronize(void* event);
int event_elapsed(float* milliseconds, void* start, void* end);

}  // namespace skerry::rehearsal
