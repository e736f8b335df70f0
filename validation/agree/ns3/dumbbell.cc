// Long TCP flows over one bottleneck of ns-3: prints "goodput_Mbps=... drop_rate=..." of the time after the warm-up.
//
// Each flow has links of its own, ten times as fast as the bottleneck, with shares `near` (drawn between `near` and `nearmost`)
// and `far` of the round trip; the bottleneck has `rate` and the rest, and one packet in its device. `disc` and `set` are the
// discipline: "ns3::CoDelQueueDisc" and "MaxSize=200p,UseEcn=false". Starts are drawn from the first `starts` seconds. `util`
// is the share of the link that the packets sent from the queue take, each with `segment` and 52 bytes of headers.
// For ns-3.37.
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <sstream>

namespace
{
// What is seen of the discipline from `from` on.
struct Seen
{
    double from = 0;
    std::vector<double> sojourns;
    double bytes = 0;
    double area = 0, last = 0;
    uint32_t length = 0;

    void Left(ns3::Ptr<const ns3::QueueDiscItem> item)
    {
        if (Now() >= from)
        {
            sojourns.push_back(Now() - item->GetTimeStamp().GetSeconds());
            bytes += item->GetSize();
        }
    }

    void Length(uint32_t, uint32_t packets)
    {
        double since = std::max(last, from);
        area += length * std::max(0.0, Now() - since);
        last = Now();
        length = packets;
    }

    static double Now()
    {
        return ns3::Simulator::Now().GetSeconds();
    }
};

void
Configure(ns3::ObjectFactory& factory, const std::string& settings)
{
    std::stringstream list(settings);
    for (std::string one; std::getline(list, one, ',');)
    {
        auto middle = one.find('=');
        factory.Set(one.substr(0, middle), ns3::StringValue(one.substr(middle + 1)));
    }
}
} // namespace

int
main(int argc, char** argv)
{
    std::string control = "TcpNewReno", disc = "ns3::FifoQueueDisc", set = "MaxSize=200p";
    uint32_t flows = 10, seed = 1, segment = 1448;
    double rtt = 0.05, until = 60, from = 20, rate = 10e6, near = 0.05, nearmost = 0.05, far = 0.05, starting = 1;
    ns3::CommandLine words;
    words.AddValue("control", "congestion control", control);
    words.AddValue("disc", "type of the discipline", disc);
    words.AddValue("set", "its attributes, NAME=VALUE,...", set);
    words.AddValue("flows", "flows", flows);
    words.AddValue("rate", "rate of the bottleneck, bit/s", rate);
    words.AddValue("near", "least share of the round trip on a sender's link", near);
    words.AddValue("nearmost", "greatest share", nearmost);
    words.AddValue("far", "share of the round trip on a receiver's link", far);
    words.AddValue("starts", "time within which flows start, s", starting);
    words.AddValue("rtt", "round trip of the wires, s", rtt);
    words.AddValue("from", "warm-up, s", from);
    words.AddValue("until", "duration, s", until);
    words.AddValue("seed", "run number", seed);
    words.Parse(argc, argv);
    ns3::RngSeedManager::SetRun(seed);

    using ns3::Ptr, ns3::StringValue, ns3::TypeId, ns3::TypeIdValue, ns3::UintegerValue;
    auto type = [](const std::string& name) { return TypeIdValue(TypeId::LookupByName("ns3::" + name)); };
    ns3::Config::SetDefault("ns3::TcpL4Protocol::SocketType", type(control));
    ns3::Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", type("TcpPrrRecovery"));
    ns3::Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment));
    ns3::Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4000000));
    ns3::Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4000000));

    ns3::NodeContainer routers(2), sources(flows), sinks(flows);
    ns3::InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.InstallAll();
    ns3::PointToPointHelper narrow, wide;
    narrow.SetDeviceAttribute("DataRate", ns3::DataRateValue(ns3::DataRate(static_cast<uint64_t>(rate))));
    narrow.SetChannelAttribute("Delay", ns3::TimeValue(ns3::Seconds((0.5 - (near + nearmost) / 2 - far) * rtt)));
    narrow.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1p"));
    wide.SetDeviceAttribute("DataRate", ns3::DataRateValue(ns3::DataRate(static_cast<uint64_t>(10 * rate))));
    wide.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("100000p"));

    auto middle = narrow.Install(routers);
    ns3::ObjectFactory factory(disc);
    Configure(factory, set);
    auto queue = factory.Create<ns3::QueueDisc>();
    auto back = ns3::CreateObjectWithAttributes<ns3::FifoQueueDisc>("MaxSize", StringValue("100000p"));
    routers.Get(0)->GetObject<ns3::TrafficControlLayer>()->SetRootQueueDiscOnDevice(middle.Get(0), queue);
    routers.Get(1)->GetObject<ns3::TrafficControlLayer>()->SetRootQueueDiscOnDevice(middle.Get(1), back);

    ns3::Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    addresses.Assign(middle);
    auto starts = ns3::CreateObject<ns3::UniformRandomVariable>();
    // Only where it is needed: every random variable takes a stream of its own.
    auto shares = nearmost > near ? ns3::CreateObject<ns3::UniformRandomVariable>() : nullptr;
    auto distant = [&](double share) { wide.SetChannelAttribute("Delay", ns3::TimeValue(ns3::Seconds(share * rtt))); };
    ns3::ApplicationContainer received;
    for (uint32_t i = 0; i < flows; i++)
    {
        distant(shares ? shares->GetValue(near, nearmost) : near);
        auto left = wide.Install(sources.Get(i), routers.Get(0));
        distant(far);
        auto right = wide.Install(routers.Get(1), sinks.Get(i));
        addresses.NewNetwork();
        addresses.Assign(left);
        addresses.NewNetwork();
        ns3::InetSocketAddress where(addresses.Assign(right).GetAddress(1), 5000);
        // The links of hosts have no discipline: what they hold is in their devices.
        for (auto device : {left.Get(0), left.Get(1), right.Get(0), right.Get(1)})
        {
            device->GetNode()->GetObject<ns3::TrafficControlLayer>()->DeleteRootQueueDiscOnDevice(device);
        }
        received.Add(ns3::PacketSinkHelper("ns3::TcpSocketFactory", where).Install(sinks.Get(i)));
        ns3::BulkSendHelper source("ns3::TcpSocketFactory", where);
        source.SetAttribute("MaxBytes", UintegerValue(0));
        source.SetAttribute("SendSize", UintegerValue(segment));
        source.Install(sources.Get(i)).Start(ns3::Seconds(starts->GetValue(0, starting)));
    }
    ns3::Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    Seen seen;
    seen.from = from;
    queue->TraceConnectWithoutContext("Dequeue", ns3::MakeCallback(&Seen::Left, &seen));
    queue->TraceConnectWithoutContext("PacketsInQueue", ns3::MakeCallback(&Seen::Length, &seen));
    auto bytes = [&] {
        return std::accumulate(received.Begin(), received.End(), 0.0, [](double sum, Ptr<ns3::Application> sink) {
            return sum + static_cast<double>(ns3::DynamicCast<ns3::PacketSink>(sink)->GetTotalRx());
        });
    };
    double arrived = 0, dropped = 0, before = 0;
    ns3::Simulator::Schedule(ns3::Seconds(from), [&] {
        arrived = queue->GetStats().nTotalReceivedPackets;
        dropped = queue->GetStats().nTotalDroppedPackets;
        before = bytes();
    });
    ns3::Simulator::Stop(ns3::Seconds(until));
    ns3::Simulator::Run();
    seen.Length(0, 0);
    std::sort(seen.sojourns.begin(), seen.sojourns.end());
    double sojourns = std::accumulate(seen.sojourns.begin(), seen.sojourns.end(), 0.0);
    auto count = static_cast<double>(seen.sojourns.size());
    std::printf("goodput_Mbps=%.6f drop_rate=%.8f soj_mean_ms=%.5f soj_p95_ms=%.5f qlen_mean_pkts=%.5f util=%.6f\n",
                (bytes() - before) * 8e-6 / (until - from),
                (queue->GetStats().nTotalDroppedPackets - dropped) / (queue->GetStats().nTotalReceivedPackets - arrived),
                sojourns / count * 1e3,
                seen.sojourns[static_cast<size_t>(0.95 * count)] * 1e3,
                seen.area / (until - from),
                8 * seen.bytes / rate / (until - from));
    ns3::Simulator::Destroy();
}
