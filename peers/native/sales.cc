// Ticket sales from Protobuf's format and back: outside of all clocks.
#include "sales.hpp"

#include "messages.pb.h"

namespace sales {

bool of_protobuf(const Message &message, Sales &sales) {
  peers::Sales parsed;
  if (!parsed.ParseFromArray(message.data, int(message.length))) return false;
  sales = {parsed.n(), parsed.m(), parsed.s(), parsed.e(), {}};
  for (const peers::Voucher &voucher : parsed.v()) sales.v.push_back({voucher.n(), voucher.s(), voucher.g(), voucher.t(), voucher.b()});
  return true;
}

std::string to_protobuf(const Sales &sales) {
  peers::Sales message;
  message.set_n(sales.n);
  message.set_m(sales.m);
  message.set_s(sales.s);
  message.set_e(sales.e);
  for (const Voucher &voucher : sales.v) {
    peers::Voucher *added = message.add_v();
    added->set_n(voucher.n);
    added->set_s(voucher.s);
    added->set_g(voucher.g);
    added->set_t(voucher.t);
    added->set_b(voucher.b);
  }
  return message.SerializeAsString();
}

}  // namespace sales
