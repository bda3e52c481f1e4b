// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/settings.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "device/emulator/runtime/stream_races.hpp"
#include "device/emulator/runtime/undefined_memory.hpp"
#include "device/environment.hpp"
#include "device/rehearsal/settings.hpp"

namespace skerry::emulation {

namespace {

struct NumberSetting {
  const char* name;
  long long min_value;
  long long max_value;
  void (*set)(EmulatorSettings& settings, long long value);
};

/// Sets members of the model to a number.
template <auto... Members>
void set_model(EmulatorSettings& settings, long long value) {
  const auto set = [&]<class T>(T& member) { member = static_cast<T>(value); };
  (set(settings.model.*Members), ...);
}

constexpr long long any_number = 1LL << 62;
constexpr NumberSetting numbers[] = {
    {"SKERRY_EMULATE_DEVICES", 1, 64,
     [](EmulatorSettings& settings, long long value) {
       settings.devices = static_cast<int>(value);
     }},
    {"SKERRY_EMULATE_MULTIPROCESSORS", 1, 1024, set_model<&DeviceModel::multiprocessors>},
    {"SKERRY_EMULATE_SEED", 0, any_number, set_model<&DeviceModel::seed>},
    {"SKERRY_EMULATE_RESIDENT", 1, 64, set_model<&DeviceModel::resident_blocks>},
    {"SKERRY_EMULATE_QUANTUM", 0, 1'000'000, set_model<&DeviceModel::quantum>},
    {"SKERRY_EMULATE_LIMIT", 0, any_number, set_model<&DeviceModel::instruction_limit>},
    {"SKERRY_EMULATE_SECONDS", 0, any_number, set_model<&DeviceModel::seconds_limit>},
    {"SKERRY_EMULATE_NOTICE", 0, any_number, set_model<&DeviceModel::seconds_to_notice>},
    {"SKERRY_EMULATE_HOLD_STORES", 0, 1, set_model<&DeviceModel::holds_stores_back>},
    {"SKERRY_EMULATE_INITCHECK", 0, 1, set_model<&DeviceModel::checks_undefined_values>},
    {"SKERRY_EMULATE_RACECHECK", 0, 2,
     [](EmulatorSettings& settings, long long value) {
       set_model<&DeviceModel::checks_shared_races, &DeviceModel::checks_global_races>(
           settings, value != 0 ? 1 : 0);
       settings.model.checks_races_in_blocks = value == 2;
     }},
    {"SKERRY_EMULATE_STREAMCHECK", 0, 1, set_model<&DeviceModel::checks_stream_races>},
    {"SKERRY_EMULATE_SYNCCHECK", 0, 1, set_model<&DeviceModel::checks_synchronization>},
    {"SKERRY_EMULATE_STATISTICS", 0, 1,
     [](EmulatorSettings& settings, long long value) { settings.says_statistics = value != 0; }},
    {"SKERRY_EMULATE_QUIET", 0, 1,
     [](EmulatorSettings& settings, long long value) { settings.is_quiet = value != 0; }},
};

bool parse(std::string_view text, long long& value) noexcept {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

std::string complaint(std::string_view name, std::string_view value, const std::string& accepted) {
  return std::string(name) + "=" + std::string(value) + " is not understood; accepted: " + accepted;
}

/// Failures that don't stop a GPU. They can be collected instead of being errors.
constexpr FailureKind collectable[] = {FailureKind::uninitialised, FailureKind::race_shared,
                                       FailureKind::race_global, FailureKind::race_streams,
                                       FailureKind::synchronisation};

/// Parses "all" or a comma-separated list of kinds; false if it is malformed.
bool read_collected(std::string_view names, KindSet& kinds) {
  kinds = {};
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(','), names.size());
    const std::string_view name = names.substr(0, end);
    const auto named = [&](FailureKind kind) { return name == "all" || name == name_of(kind); };
    if (std::ranges::none_of(collectable, named)) return false;
    for (const FailureKind kind : collectable) {
      if (named(kind)) kinds.add(kind);
    }
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return true;
}

/// Reads a variable; a malformed value counts as unset (device/environment.hpp).
void read_variable(const char* name, EmulatorSettings& settings) {
  const char* const value = environment_text(name);
  if (value != nullptr) static_cast<void>(read_setting(name, value, settings));
}

EmulatorSettings& changeable_settings() noexcept {
  static EmulatorSettings* const the_settings = [] {
    auto* const new_settings = new EmulatorSettings;
    for (const NumberSetting& setting : numbers) read_variable(setting.name, *new_settings);
    read_variable("SKERRY_EMULATE_TARGET", *new_settings);
    read_variable("SKERRY_EMULATE_KERNELS", *new_settings);
    read_variable("SKERRY_EMULATE_LAUNCHES", *new_settings);
    read_variable("SKERRY_EMULATE_COLLECT", *new_settings);
    return new_settings;
  }();
  return *the_settings;
}

}  // namespace

bool set_compute_capability(DeviceModel& model, int capability) noexcept {
  // CUDA C++ Programming Guide, technical specifications per compute capability. A block's maximum
  // is 1 KiB less than the multiprocessor's shared memory.
  switch (capability) {
    case 80:
      model.shared_bytes_per_multiprocessor = 164 << 10;
      break;
    case 90:
      model.shared_bytes_per_multiprocessor = 228 << 10;
      break;
    default:
      return false;
  }
  model.compute_capability = capability;
  model.shared_bytes_per_block_optin = model.shared_bytes_per_multiprocessor - (1 << 10);
  return true;
}

std::string read_setting(std::string_view name, std::string_view value,
                         EmulatorSettings& settings) {
  long long number = 0;
  const bool is_number = parse(value, number);
  if (name == "SKERRY_EMULATE_TARGET") {
    const bool is_known =
        is_number && set_compute_capability(settings.model, static_cast<int>(number));
    return is_known ? "" : complaint(name, value, "80 or 90");
  }
  if (name == "SKERRY_EMULATE_COLLECT") {
    if (read_collected(value, settings.model.collected)) return "";
    return complaint(name, value,
                     "all, or a comma-separated list of uninitialised, race_shared, race_global, "
                     "race_streams, synchronisation");
  }
  if (name == "SKERRY_EMULATE_KERNELS") {
    settings.kernel_list = value;
    return "";
  }
  if (name == "SKERRY_EMULATE_LAUNCHES") {
    settings.launch_list = value;
    settings.model.counts_requests = !value.empty();
    return "";
  }
  for (const NumberSetting& setting : numbers) {
    if (name != setting.name) continue;
    if (is_number && number >= setting.min_value && number <= setting.max_value) {
      setting.set(settings, number);
      return "";
    }
    return complaint(
        name, value,
        std::to_string(setting.min_value) + " to " + std::to_string(setting.max_value));
  }
  return std::string(name) + " is not a setting of the emulated GPU";
}

const EmulatorSettings& current_emulator_settings() noexcept { return changeable_settings(); }

bool needs_stream_order(const DeviceModel& model) noexcept {
  return model.checks_stream_races || model.checks_shared_races;
}

std::string change_setting(std::string_view name, std::string_view value) {
  if (name.starts_with("SKERRY_REHEARSE_")) {
    if (rehearsal::change_setting(name, value)) return "";
    return complaint(name, value,
                     "of SKERRY_REHEARSE_MEMORY bytes, or a number with KiB, MiB or GiB; of "
                     "SKERRY_REHEARSE_PEERS all, none, or pairs like 0-1,2-3");
  }
  EmulatorSettings& current = changeable_settings();
  EmulatorSettings changed = current;
  if (std::string error_message = read_setting(name, value, changed); !error_message.empty())
    return error_message;
  const DeviceModel& model = changed.model;
  if (model.checks_undefined_values && !follow_undefined_memory()) {
    return std::string(name) + ": can't reserve addresses for shadow memory";
  }
  if (!model.checks_undefined_values && follows_undefined_memory()) unfollow_undefined_memory();
  if (needs_stream_order(model) && !follows_streams()) follow_streams();
  if (!needs_stream_order(model) && follows_streams()) unfollow_streams();
  current = std::move(changed);
  return "";
}

}  // namespace skerry::emulation
