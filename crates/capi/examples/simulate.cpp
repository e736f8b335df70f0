// A whole simulation from C++: four transfers over RED; prints the digest and the summary.
//
//     c++ -std=c++17 simulate.cpp -ldropcurve -o simulate && ./simulate [FILE.toml [SEED]]
#include "dropcurve.h"

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

namespace {

using Text = std::unique_ptr<char, decltype(&dropcurve_free_text)>;

const char *const scenario = R"(
[run]
duration = "5 s"
warmup = "1 s"

[dumbbell]
rate = "10 Mbit/s"
delay = "20 ms"

[queue]
kind = "red"
limit = "60 pkts"

[flows.transfer]
count = 4
start = "uniform 0 s to 1 s"
)";

Text run(const std::string &text, std::uint64_t seed, std::uint64_t &digest) {
    Text summary(dropcurve_run(text.c_str(), seed, &digest), &dropcurve_free_text);
    if (!summary) throw std::runtime_error(dropcurve_last_error());
    return summary;
}

}  // namespace

int main(int count, char **words) {
    std::string text = scenario;
    if (count > 1) {
        std::ostringstream whole;
        whole << std::ifstream(words[1]).rdbuf();
        text = whole.str();
    }
    try {
        std::uint64_t digest = 0;
        Text summary = run(text, count > 2 ? std::stoull(words[2]) : 1, digest);
        std::printf("%016llx\n%s\n", static_cast<unsigned long long>(digest), summary.get());
    } catch (const std::exception &error) {
        std::cerr << "simulate: " << error.what() << '\n';
        return 2;
    }
    return 0;
}
