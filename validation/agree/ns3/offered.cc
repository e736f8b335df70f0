// Offers packets at random times to one discipline of ns-3, open loop. Prints "key=value ..." of the time after the
// warm-up, for the queue and for each stream.
//
// The streams begin at the router itself. On the wire a packet has two header bytes that the discipline does not see, so
// the link is faster by two bytes in 1000. The device holds one packet. For ns-3.37.
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdio>
#include <sstream>
#include <vector>

namespace
{
using Item = ns3::Ptr<const ns3::QueueDiscItem>;
constexpr uint32_t HEADERS = 28, FIRST_PORT = 5001;

double
Now()
{
    return ns3::Simulator::Now().GetSeconds();
}

// A Poisson stream of packets of one size, with its counters from `from` on.
struct Stream
{
    ns3::Ptr<ns3::Socket> socket;
    ns3::Ptr<ns3::ExponentialRandomVariable> gap;
    uint32_t size = 0;
    double from = 0, sent = 0, lost = 0;

    void Wait()
    {
        ns3::Simulator::Schedule(ns3::Seconds(gap->GetValue()), &Stream::Send, this);
    }

    void Send()
    {
        sent += Now() >= from;
        socket->Send(ns3::Create<ns3::Packet>(size - HEADERS));
        Wait();
    }
};

// Counters of the discipline from `from` on.
struct Seen
{
    double from = 0, sojourn = 0, left = 0, bytes = 0, area = 0, last = 0;
    uint32_t length = 0;
    std::vector<Stream>* streams = nullptr;

    void Count(Item item, double sign)
    {
        if (Now() >= from)
        {
            sojourn += sign * (Now() - item->GetTimeStamp().GetSeconds());
            left += sign;
            bytes += sign * item->GetSize();
        }
    }

    void Left(Item item)
    {
        Count(item, 1);
    }

    // ns-3 has already traced this packet as dequeued.
    void DroppedLate(Item item, const char*)
    {
        Count(item, -1);
    }

    void Dropped(Item item)
    {
        ns3::UdpHeader header;
        item->GetPacket()->PeekHeader(header);
        streams->at(header.GetSourcePort() - FIRST_PORT).lost += Now() >= from;
    }

    void Length(uint32_t, uint32_t packets)
    {
        area += length * std::max(0.0, Now() - std::max(last, from));
        last = Now();
        length = packets;
    }
};

template <typename Use>
void
Each(const std::string& list, Use use)
{
    std::stringstream words(list);
    for (std::string one; std::getline(words, one, ',');)
    {
        use(one);
    }
}

// "ns3::PrioQueueDisc" with `bands` gets a queue of its own for each band, which holds all that may come.
ns3::Ptr<ns3::QueueDisc>
Made(const std::string& disc, const std::string& set, uint32_t bands)
{
    ns3::ObjectFactory factory(disc);
    if (set != "-")
    {
        Each(set, [&](const std::string& one) {
            auto middle = one.find('=');
            factory.Set(one.substr(0, middle), ns3::StringValue(one.substr(middle + 1)));
        });
    }
    auto queue = factory.Create<ns3::QueueDisc>();
    for (uint32_t i = 0; i < bands; i++)
    {
        auto band = ns3::CreateObject<ns3::QueueDiscClass>();
        band->SetQueueDisc(ns3::CreateObjectWithAttributes<ns3::FifoQueueDisc>("MaxSize", ns3::StringValue("50p")));
        queue->AddQueueDiscClass(band);
    }
    return queue;
}
} // namespace

int
main(int argc, char** argv)
{
    std::string disc = "ns3::FifoQueueDisc", set = "-", loads = "5,6", sizes = "1000", priorities = "0";
    uint32_t seed = 1, bands = 0;
    double until = 120, from = 20;
    ns3::CommandLine words;
    words.AddValue("disc", "type of the discipline", disc);
    words.AddValue("set", "its attributes, NAME=VALUE,...", set);
    words.AddValue("bands", "queues of 50 packets that it is given", bands);
    words.AddValue("loads", "Mbit/s of each stream", loads);
    words.AddValue("sizes", "bytes of a packet of each stream, the last one of all that follow", sizes);
    words.AddValue("priorities", "of the packets of each stream, likewise", priorities);
    words.AddValue("from", "warm-up, s", from);
    words.AddValue("until", "duration, s", until);
    words.AddValue("seed", "run number", seed);
    words.Parse(argc, argv);
    ns3::RngSeedManager::SetRun(seed);

    ns3::NodeContainer nodes(2);
    ns3::InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(nodes);
    ns3::PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", ns3::StringValue("10.02Mbps"));
    link.SetChannelAttribute("Delay", ns3::StringValue("5ms"));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", ns3::StringValue("1p"));
    auto devices = link.Install(nodes);
    auto queue = Made(disc, set, bands);
    nodes.Get(0)->GetObject<ns3::TrafficControlLayer>()->SetRootQueueDiscOnDevice(devices.Get(0), queue);
    auto at = ns3::Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices).GetAddress(1);

    auto type = ns3::UdpSocketFactory::GetTypeId();
    auto sink = ns3::Socket::CreateSocket(nodes.Get(1), type);
    sink->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), 9));
    sink->SetRecvCallback([](ns3::Ptr<ns3::Socket> socket) {
        while (socket->Recv())
        {
        }
    });
    std::vector<Stream> streams;
    std::vector<uint32_t> size, priority;
    Each(sizes, [&](const std::string& one) { size.push_back(std::stoul(one)); });
    Each(priorities, [&](const std::string& one) { priority.push_back(std::stoul(one)); });
    Each(loads, [&](const std::string& load) {
        auto index = static_cast<uint32_t>(streams.size());
        Stream stream;
        stream.from = from;
        stream.size = size[std::min<size_t>(index, size.size() - 1)];
        stream.gap = ns3::CreateObject<ns3::ExponentialRandomVariable>();
        stream.gap->SetAttribute("Mean", ns3::DoubleValue(stream.size * 8e-6 / std::stod(load)));
        stream.socket = ns3::Socket::CreateSocket(nodes.Get(0), type);
        stream.socket->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), FIRST_PORT + index));
        stream.socket->Connect(ns3::InetSocketAddress(at, 9));
        stream.socket->SetPriority(priority[std::min<size_t>(index, priority.size() - 1)]);
        streams.push_back(stream);
    });
    for (auto& stream : streams)
    {
        stream.Wait();
    }

    Seen seen;
    seen.from = from;
    seen.streams = &streams;
    queue->TraceConnectWithoutContext("Dequeue", ns3::MakeCallback(&Seen::Left, &seen));
    queue->TraceConnectWithoutContext("Drop", ns3::MakeCallback(&Seen::Dropped, &seen));
    queue->TraceConnectWithoutContext("DropAfterDequeue", ns3::MakeCallback(&Seen::DroppedLate, &seen));
    queue->TraceConnectWithoutContext("PacketsInQueue", ns3::MakeCallback(&Seen::Length, &seen));
    ns3::Simulator::Stop(ns3::Seconds(until));
    ns3::Simulator::Run();
    seen.Length(0, 0);
    double sent = 0, lost = 0;
    for (const auto& stream : streams)
    {
        sent += stream.sent;
        lost += stream.lost;
    }
    std::printf("loss=%.8f util=%.8f qmean=%.6f qdelay_ms=%.6f", lost / sent, seen.bytes * 8e-7 / (until - from),
                seen.area / (until - from), seen.sojourn / seen.left * 1e3);
    for (size_t i = 0; i < streams.size(); i++)
    {
        std::printf(" loss_%zu=%.8f", i, streams[i].lost / streams[i].sent);
    }
    std::puts("");
    ns3::Simulator::Destroy();
}
