// The work of crates/sim/benches/runs/dumbbell.rs in ns-3: SACK flows through gentle RED on a dumbbell; or CUBIC flows
// with delayed acknowledgements through FQ-CoDel.
//
//   dumbbell FLOWS SECONDS [red | fq_codel]
//
// As many Mbit/s as flows, a buffer of 100 ms with the thresholds at 1/8 and 3/8 of it, access links ten times as fast with
// delays from 0.5 to 20 ms, an acknowledgement for each segment. Prints one line: segments delivered, nanoseconds of
// processor for each in the event loop, and seconds of processor for everything before it. No trace is written.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

const uint32_t PAYLOAD = 1460;
// TCP without timestamps and IP; PPP adds two bytes on the wire that our links do not have.
const uint32_t HEADERS = 40;

/// CPU time of this process, in nanoseconds.
double
CpuNs()
{
    std::ifstream file("/proc/self/schedstat");
    double ns = 0;
    file >> ns;
    return ns;
}

void
SetDefaults(uint32_t buffer, bool fair)
{
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(PAYLOAD));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(fair ? 2 : 1));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 24));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 24));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(fair ? TcpCubic::GetTypeId() : TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::FqCoDelQueueDisc::MaxSize", QueueSizeValue(QueueSize(PACKETS, buffer)));
    Config::SetDefault("ns3::RedQueueDisc::MeanPktSize", UintegerValue(PAYLOAD + HEADERS));
    Config::SetDefault("ns3::RedQueueDisc::MinTh", DoubleValue(std::max(buffer / 8, 2u)));
    Config::SetDefault("ns3::RedQueueDisc::MaxTh", DoubleValue(std::max(3 * buffer / 8, 6u)));
    Config::SetDefault("ns3::RedQueueDisc::MaxSize", QueueSizeValue(QueueSize(PACKETS, buffer)));
    Config::SetDefault("ns3::RedQueueDisc::QW", DoubleValue(0.002));
    Config::SetDefault("ns3::RedQueueDisc::LInterm", DoubleValue(10));
    Config::SetDefault("ns3::RedQueueDisc::Gentle", BooleanValue(true));
}

} // namespace

int
main(int argc, char** argv)
{
    const std::string kind = argc == 4 ? argv[3] : "red";
    if (argc < 3 || argc > 4 || (kind != "red" && kind != "fq_codel"))
    {
        std::fprintf(stderr, "usage: dumbbell FLOWS SECONDS [red | fq_codel]\n");
        return 2;
    }
    const bool fair = kind == "fq_codel";
    const double built_from = CpuNs();
    const uint32_t flows = std::atoi(argv[1]);
    const double seconds = std::atof(argv[2]);
    const uint32_t buffer = flows * 1000000 / 10 / 8 / 1500;
    const std::string rate = std::to_string(flows) + "Mbps";
    const std::string access_rate = std::to_string(10 * flows) + "Mbps";
    SetDefaults(buffer, fair);
    Config::SetDefault("ns3::RedQueueDisc::LinkBandwidth", StringValue(rate));
    Config::SetDefault("ns3::RedQueueDisc::LinkDelay", StringValue("10ms"));

    NodeContainer routers(2);
    InternetStackHelper stack;
    stack.Install(routers);
    PointToPointHelper trunk;
    trunk.SetDeviceAttribute("DataRate", StringValue(rate));
    trunk.SetChannelAttribute("Delay", StringValue("10ms"));
    // What waits is to wait in the discipline, not in the device.
    trunk.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(QueueSize("1p")));
    NetDeviceContainer devices = trunk.Install(routers);
    TrafficControlHelper discipline;
    discipline.SetRootQueueDisc(fair ? "ns3::FqCoDelQueueDisc" : "ns3::RedQueueDisc");
    discipline.Install(devices.Get(0));
    TrafficControlHelper fifo;
    fifo.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", QueueSizeValue(QueueSize("1000p")));
    fifo.Install(devices.Get(1));
    Ipv4AddressHelper address("10.0.0.0", "255.255.255.252");
    address.Assign(devices);

    Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t i = 0; i < flows; i++)
    {
        const double share = flows > 1 ? double(i) / (flows - 1) : 0.5;
        PointToPointHelper access;
        access.SetDeviceAttribute("DataRate", StringValue(access_rate));
        access.SetChannelAttribute("Delay", TimeValue(MicroSeconds(500 + 19500 * share)));
        access.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(QueueSize("1000p")));
        NodeContainer ends(2);
        stack.Install(ends);
        TrafficControlHelper none;
        address.NewNetwork();
        NetDeviceContainer near = access.Install(ends.Get(0), routers.Get(0));
        address.Assign(near);
        none.Uninstall(near);
        address.NewNetwork();
        NetDeviceContainer far = access.Install(routers.Get(1), ends.Get(1));
        Ipv4InterfaceContainer at = address.Assign(far);
        none.Uninstall(far);
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(at.GetAddress(1), 5000));
        source.SetAttribute("MaxBytes", UintegerValue(0));
        source.SetAttribute("SendSize", UintegerValue(PAYLOAD));
        ApplicationContainer sending = source.Install(ends.Get(0));
        sending.Start(Seconds(random->GetValue(0, 1)));
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 5000));
        ApplicationContainer receiving = sink.Install(ends.Get(1));
        receiving.Start(Seconds(0));
        sinks.push_back(DynamicCast<PacketSink>(receiving.Get(0)));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    Simulator::Stop(Seconds(seconds));
    const double started = CpuNs();
    Simulator::Run();
    const double ended = CpuNs();
    uint64_t bytes = 0;
    for (const Ptr<PacketSink>& sink : sinks)
    {
        bytes += sink->GetTotalRx();
    }
    const uint64_t segments = bytes / PAYLOAD;
    std::printf("%lu segments, %.1f ns each in the event loop, %.2f s before it\n",
                (unsigned long)segments, (ended - started) / segments, (started - built_from) / 1e9);
    return 0;
}
