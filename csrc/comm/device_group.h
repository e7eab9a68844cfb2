// Groups of processes whose devices exchange data by their own library, on the communication lane.
//
// A device waits for the others' without end, and cannot tell who is late or gone. So the processes exchange messages, too:
// beside the program, a thread sees all of the group come to the same collective, and then watches until it is over. If it
// finds that this will never be, the communicators are aborted, so that nobody waits for the device in vain, and every wait
// and collective from then on fails and says why.
#pragma once
#include <functional>

#include "comm/collectives.h"
#include "device/communicator.h"
#include "device/device.h"

namespace minds::comm {

class DeviceGroup {
 public:
  // A kind of devices communicates in this way.
  static void offer(std::string_view device, const Communication& c);
  // Made when it is first asked for, by all of the group; lives for ever.
  static Status of(Device& d, const Group& g, const Call& call, DeviceGroup*& out);

  using Work = std::function<Status(Communicator&, Stream&)>;
  // Queues `work` on the communication lane, behind what `q` was given; `done` is behind it.
  Status begin(Stream& q, const Call& call, const Work& work, std::shared_ptr<Event>& done);
  // The same; what `q` is given from now on comes behind it.
  Status run(Stream& q, const Call& call, const Work& work);

 private:
  DeviceGroup(Device& d, const Group& g, const Communication& kind) : device_(d), group_(g), kind_(kind) {}
  Status join(const Call& call);
  Status await_ready(const Call& call);
  Status oversee(const Call& call, Event& done) const;
  std::vector<int> others() const;

  Device& device_;
  const Group group_;
  const Communication& kind_;
  std::unique_ptr<Communicator> communicator_;
};

}  // namespace minds::comm
