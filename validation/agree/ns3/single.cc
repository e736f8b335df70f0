// One TCP flow over a path that destroys named segments: prints each data segment as it leaves, "microseconds segment".
//
// sender - 100 Mbit/s, 1 ms - router - 10 Mbit/s, 24 ms - receiver, queues that never fill, segments of 1000 bytes, initial
// window 10; `rate`, `delay` and `window` change those of the second link and the last. `queue` makes the router's queue so
// many packets long, in addition to the one its device holds. `lose` lists segments, each with how many of its transmissions are
// destroyed as they arrive: "100:1,120:2".
// For ns-3.37, whose TCP types it names.
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdio>
#include <map>
#include <sstream>

namespace
{
constexpr uint32_t SEGMENT = 1000;

uint32_t
Number(const ns3::TcpHeader& header)
{
    return (header.GetSequenceNumber().GetValue() - 1) / SEGMENT;
}

// Destroys the first transmissions of the segments it is told.
struct Loss : ns3::ErrorModel
{
    std::map<uint32_t, int> left;

    bool DoCorrupt(ns3::Ptr<ns3::Packet> packet) override
    {
        auto inside = packet->Copy();
        ns3::PppHeader frame;
        ns3::Ipv4Header network;
        ns3::TcpHeader transport;
        inside->RemoveHeader(frame);
        inside->RemoveHeader(network);
        inside->RemoveHeader(transport);
        auto found = inside->GetSize() > 0 ? left.find(Number(transport)) : left.end();
        return found != left.end() && found->second-- > 0;
    }

    void DoReset() override
    {
    }
};

void
Sent(ns3::Ptr<const ns3::Packet> packet, const ns3::TcpHeader& header, ns3::Ptr<const ns3::TcpSocketBase>)
{
    if (packet->GetSize() > 0)
    {
        std::printf("%ld %u\n", ns3::Simulator::Now().GetMicroSeconds(), Number(header));
    }
}

void
Watch(ns3::Ptr<ns3::Node> node)
{
    ns3::ObjectVectorValue sockets;
    node->GetObject<ns3::TcpL4Protocol>()->GetAttribute("SocketList", sockets);
    sockets.Get(0)->TraceConnectWithoutContext("Tx", ns3::MakeCallback(&Sent));
}
} // namespace

int
main(int argc, char** argv)
{
    std::string control = "TcpNewReno", recovery = "TcpPrrRecovery", lose, rate = "10Mbps", delay = "24ms";
    uint32_t segments = 300, ackEvery = 1, window = 10, queue = 0;
    bool sack = true;
    ns3::CommandLine words;
    words.AddValue("control", "congestion control", control);
    words.AddValue("recovery", "recovery", recovery);
    words.AddValue("sack", "selective acknowledgements", sack);
    words.AddValue("lose", "segments destroyed, SEGMENT:TIMES,...", lose);
    words.AddValue("segments", "segments to send", segments);
    words.AddValue("ack-every", "segments for one acknowledgement", ackEvery);
    words.AddValue("window", "initial window, in segments", window);
    words.AddValue("rate", "rate of the second link", rate);
    words.AddValue("delay", "its delay", delay);
    words.AddValue("queue", "packets its queue holds; 0: any number", queue);
    words.Parse(argc, argv);

    using ns3::BooleanValue, ns3::TypeId, ns3::TypeIdValue, ns3::UintegerValue;
    auto type = [](const std::string& name) { return TypeIdValue(TypeId::LookupByName("ns3::" + name)); };
    ns3::Config::SetDefault("ns3::TcpL4Protocol::SocketType", type(control));
    ns3::Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", type(recovery));
    ns3::Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(sack));
    ns3::Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT));
    ns3::Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(ackEvery));
    ns3::Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(window));
    ns3::Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4000000));
    ns3::Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4000000));

    ns3::NodeContainer nodes(3);
    ns3::InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(nodes);
    ns3::PointToPointHelper link;
    link.SetQueue("ns3::DropTailQueue", "MaxSize", ns3::StringValue("100000p"));
    auto join = [&](uint32_t from, const std::string& rate, const std::string& delay) {
        link.SetDeviceAttribute("DataRate", ns3::StringValue(rate));
        link.SetChannelAttribute("Delay", ns3::StringValue(delay));
        return link.Install(nodes.Get(from), nodes.Get(from + 1));
    };
    auto near = join(0, "100Mbps", "1ms");
    if (queue > 0)
    {
        link.SetQueue("ns3::DropTailQueue", "MaxSize", ns3::StringValue("1p"));
    }
    auto far = join(1, rate, delay);
    if (queue > 0)
    {
        ns3::TrafficControlHelper limited;
        limited.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", ns3::StringValue(std::to_string(queue) + "p"));
        limited.Install(far);
    }
    ns3::Ipv4AddressHelper addresses("10.0.1.0", "255.255.255.0");
    addresses.Assign(near);
    addresses.NewNetwork();
    auto at = addresses.Assign(far).GetAddress(1);
    ns3::Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    auto loss = ns3::CreateObject<Loss>();
    std::stringstream list(lose);
    for (std::string one; std::getline(list, one, ',');)
    {
        loss->left[std::stoul(one)] = std::stoi(one.substr(one.find(':') + 1));
    }
    far.Get(1)->SetAttribute("ReceiveErrorModel", ns3::PointerValue(loss));

    ns3::InetSocketAddress where(at, 5000);
    ns3::PacketSinkHelper("ns3::TcpSocketFactory", where).Install(nodes.Get(2));
    ns3::BulkSendHelper source("ns3::TcpSocketFactory", where);
    source.SetAttribute("MaxBytes", UintegerValue(segments * SEGMENT));
    source.SetAttribute("SendSize", UintegerValue(SEGMENT));
    source.Install(nodes.Get(0));
    ns3::Simulator::Schedule(ns3::MicroSeconds(1), &Watch, nodes.Get(0));
    ns3::Simulator::Stop(ns3::Seconds(120));
    ns3::Simulator::Run();
    ns3::Simulator::Destroy();
}
