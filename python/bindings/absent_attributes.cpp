// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "python/bindings/method_table.hpp"

// Attributes of NumPy's, CuPy's and PyTorch's arrays that skerry's lack: their AttributeError says
// what there is instead. They are descriptors that raise it, for instances and for the type, so
// that hasattr is False, and no other attribute is looked up any slower than without them, as it
// would be with a tp_getattro of our own.
namespace skerry::python {
namespace {

struct AbsentAttribute {
  const char* name;
  const char* remedy;  ///< null: the function of that name, if there is one
};

constexpr const char* to_host = "np.asarray(x.to_device(\"cpu\")) is an array of NumPy";
constexpr const char* to_a_device =
    "x.to_device(\"cuda:0\") and x.to_device(\"cpu\") are copies there";
constexpr const char* no_gradients = "skerry computes no gradients";
constexpr const char* in_numpy_first =
    "NumPy does it: np.asarray(x.to_device(\"cpu\")) is its array, of the same memory on a CPU "
    "device";
constexpr const char* converted = "skerry.astype(x, dtype), or x.astype(dtype), converts";

constexpr AbsentAttribute absent[] = {
    {"argpartition", nullptr},
    {"base", "views share their memory and keep it alive; none knows the array it is of"},
    {"byteswap", "skerry's arrays have the byte order of the machine"},
    {"choose", "skerry.where(condition, x1, x2) and skerry.take_along_axis(x, indices) choose"},
    {"clone", "x.copy() is a copy"},
    {"compress", "x[mask] selects by an array of bool"},
    {"contiguous", "x.copy() is contiguous; functions take any layout"},
    {"cpu", "x.to_device(\"cpu\") is a copy there"},
    {"ctypes", "np.asarray(x).ctypes on a CPU device, x.__cuda_array_interface__ on a CUDA device"},
    {"cuda", "x.to_device(\"cuda:0\") is a copy there"},
    {"data", "memoryview(np.asarray(x)) on a CPU device, x.__cuda_array_interface__ on a CUDA one"},
    {"data_ptr", "x.__array_interface__ or x.__cuda_array_interface__ has the address"},
    {"detach", no_gradients},
    {"dim", "x.ndim is the number of axes"},
    {"double", converted},
    {"dump", "pickle.dump(x, file) writes an array"},
    {"dumps", "pickle.dumps(x) gives bytes"},
    {"flags", "np.asarray(x).flags of an array on a CPU device; x.strides says how it lies"},
    {"flat", "x.ravel() is the array in one axis"},
    {"float", converted},
    {"get", to_host},
    {"getfield", "x.view(dtype) reads the bytes as another dtype"},
    {"half", converted},
    {"int", converted},
    {"is_cuda", "x.device.kind == \"cuda\" says so"},
    {"itemset", "x[index] = value sets an element"},
    {"long", converted},
    {"newbyteorder", "skerry's arrays have the byte order of the machine"},
    {"numel", "x.size is the number of elements"},
    {"numpy", to_host},
    {"partition", nullptr},
    {"permute", "x.transpose(axes), or skerry.permute_dims(x, axes)"},
    {"ptp", "skerry.max(x) - skerry.min(x) is the range of values"},
    {"put", "x[indices] = values sets elements; of several axes, those of x.ravel(), if a view"},
    {"requires_grad", no_gradients},
    {"resize", "skerry.reshape(x, shape); the memory of an array keeps its size"},
    {"set", "x[...] = skerry.asarray(values, device=x.device) sets all elements"},
    {"setfield", "x.view(dtype)[...] = values writes bytes as another dtype"},
    {"setflags", "arrays are writable but for views that repeat elements and read-only memory"},
    {"to", to_a_device},
    {"toDlpack", "consumers take the array itself: from_dlpack(x)"},
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
  return about.remedy != nullptr ? about.remedy : "skerry has no function of that name, either";
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
