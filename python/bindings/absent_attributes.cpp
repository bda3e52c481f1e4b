// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "python/bindings/method_table.hpp"

// Attributes of NumPy's, CuPy's and PyTorch's arrays that skerry's arrays lack: their
// AttributeError names the replacement. Each is a descriptor that raises it, for instances and for
// the type, so that hasattr is False. A custom tp_getattro would slow down all other lookups.
namespace skerry::python {
namespace {

struct AbsentAttribute {
  const char* name;
  const char* remedy;  ///< null: the function of that name, if there is one
};

constexpr const char* to_host = "use np.asarray(x.to_device(\"cpu\"))";
constexpr const char* to_a_device = "use x.to_device(\"cuda:0\") or x.to_device(\"cpu\")";
constexpr const char* no_gradients = "skerry computes no gradients";
constexpr const char* in_numpy_first =
    "use NumPy's: np.asarray(x.to_device(\"cpu\")) shares the memory of an array on a CPU "
    "device";
constexpr const char* converted = "use skerry.astype(x, dtype) or x.astype(dtype)";

constexpr AbsentAttribute absent[] = {
    {"clone", "use x.copy()"},
    {"compress", "use x[mask] with a boolean array"},
    {"contiguous", "x.copy() is contiguous; functions take any layout"},
    {"cpu", "use x.to_device(\"cpu\")"},
    {"ctypes", "np.asarray(x).ctypes on a CPU device, x.__cuda_array_interface__ on a CUDA device"},
    {"cuda", "use x.to_device(\"cuda:0\")"},
    {"data_ptr", "x.__array_interface__ or x.__cuda_array_interface__ has the address"},
    {"detach", no_gradients},
    {"dim", "x.ndim is the number of axes"},
    {"double", converted},
    {"dump", "pickle.dump(x, file) writes an array"},
    {"dumps", "pickle.dumps(x) gives bytes"},
    {"float", converted},
    {"get", to_host},
    {"getfield", "x.view(dtype) reads the bytes as another dtype"},
    {"half", converted},
    {"int", converted},
    {"is_cuda", "use x.device.kind == \"cuda\""},
    {"itemset", "x[index] = value sets an element"},
    {"long", converted},
    {"newbyteorder", "skerry's arrays have the byte order of the machine"},
    {"numel", "x.size is the number of elements"},
    {"numpy", to_host},
    {"permute", "x.transpose(axes), or skerry.permute_dims(x, axes)"},
    {"ptp", "skerry.max(x) - skerry.min(x) is the range of values"},
    {"put", "x[indices] = values sets elements; for several axes use x.ravel(), if it is a view"},
    {"requires_grad", no_gradients},
    {"resize", "use skerry.reshape(x, shape); the memory of an array has a fixed size"},
    {"set", "x[...] = skerry.asarray(values, device=x.device) sets all elements"},
    {"setfield", "x.view(dtype)[...] = values writes bytes as another dtype"},
    {"to", to_a_device},
    {"toDlpack", "pass the array itself to the consumer: from_dlpack(x)"},
    {"tofile", in_numpy_first},
    {"unsqueeze", "skerry.expand_dims(x, axis), or x[:, None]"},
};

struct AbsentObject {
  PyObject_HEAD const AbsentAttribute* about;
};

std::string instead_of(const AbsentAttribute& about) {
  const Object module(PyImport_ImportModule("skerry"));
  const std::string name(about.name);
  if (about.remedy == nullptr || name == "ptp") {
    if (optional_attribute(module.get(), about.name).get() != nullptr) {
      return "call skerry." + name + "(x, ...)";
    }
  }
  return about.remedy != nullptr ? about.remedy : "skerry has no function of that name either";
}

PyObject* raise_absent(PyObject* self, PyObject*, PyObject*) {
  return translate_exceptions([&]() -> PyObject* {
    const AbsentAttribute& about = *reinterpret_cast<AbsentObject*>(self)->about;
    const std::string remedy = instead_of(about);
    PyErr_Format(PyExc_AttributeError, "'skerry.Array' object has no attribute '%s'; %s",
                 about.name, remedy.c_str());
    return nullptr;
  });
}

PyType_Slot slots[] = {{Py_tp_descr_get, slot(raise_absent)}, {}};
PyType_Spec spec{"skerry._core.AbsentAttribute", sizeof(AbsentObject), 0,
                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

}  // namespace

bool is_absent_attribute(std::string_view name) {
  for (const AbsentAttribute& attribute : absent) {
    if (attribute.name == name) return true;
  }
  return false;
}

void add_absent_attributes(PyTypeObject* type) {
  const Object kind(PyType_FromSpec(&spec));
  for (const AbsentAttribute& attribute : absent) {
    const Object descriptor(PyType_GenericAlloc(reinterpret_cast<PyTypeObject*>(kind.get()), 0));
    reinterpret_cast<AbsentObject*>(descriptor.get())->about = &attribute;
    set_attribute(reinterpret_cast<PyObject*>(type), attribute.name, descriptor);
  }
}

}  // namespace skerry::python
