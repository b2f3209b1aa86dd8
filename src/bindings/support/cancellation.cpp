#include "bindings/batch.hpp"

namespace hyperbaton::bindings {

namespace {

// Work that another thread can cancel.
class Cancellation {
 public:
  void cancel() { stop_ = true; }

  // Calls a Python function. Once the work is cancelled, loops of the core that it starts on this thread
  // stop, and raise CancelledError.
  nb::object run(const nb::callable& function) {
    const Binding binding(stop_);
    return function();
  }

 private:
  Stop stop_{false};

  class Binding {
   public:
    explicit Binding(Stop& stop) : before_(std::exchange(cancellation, &stop)) {}
    ~Binding() { cancellation = before_; }
    Binding(const Binding&) = delete;
    Binding& operator=(const Binding&) = delete;

   private:
    Stop* before_;
  };
};

}  // namespace

void bind_cancellation(nb::module_& m) {
  nb::class_<Cancellation>(m, "Cancellation")
      .def(nb::init<>())
      .def("cancel", &Cancellation::cancel)
      .def("run", &Cancellation::run, nb::arg("function"));
}

}  // namespace hyperbaton::bindings
